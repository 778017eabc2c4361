// What only the browser knows or can do: its clock, its look, and words for figures in charts.
"use strict";

window.minerva = (() => {
  const KEY = "minerva-look";
  const system = window.matchMedia("(prefers-color-scheme: dark)");

  function chosen() {
    try {
      return window.localStorage.getItem(KEY);
    } catch {
      return null; // storage is switched off: then the system decides
    }
  }

  function isDark() {
    const look = chosen();
    return look ? look === "dark" : system.matches;
  }

  function look() {
    const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
    return { dark: isDark(), zone, narrow: window.innerWidth < 760 };
  }

  function apply() {
    document.documentElement.dataset.look = isDark() ? "dark" : "light";
  }

  function tell(name, value) {
    if (typeof window.emitEvent === "function") window.emitEvent(name, value);
  }

  function switchLook() {
    try {
      window.localStorage.setItem(KEY, isDark() ? "light" : "dark");
    } catch {
      return;
    }
    apply();
    tell("minerva-look", look());
  }

  function digits(value) {
    return value >= 100 ? value.toFixed(0) : Number(value.toPrecision(3)).toString();
  }

  function duration(value) {
    const ms = Number(value);
    if (!Number.isFinite(ms)) return "–";
    if (ms === 0) return "0";
    if (ms < 1) return `${digits(ms * 1000)} µs`;
    if (ms < 1000) return `${digits(ms)} ms`;
    if (ms < 60000) return `${digits(ms / 1000)} s`;
    if (ms < 3600000) return `${digits(ms / 60000)} min`;
    return `${digits(ms / 3600000)} h`;
  }

  function count(value) {
    return Number(value).toLocaleString("en-US");
  }

  function bin(items) {
    const [item] = items;
    const low = Number(item.name);
    return `${duration(low)} to ${duration(low * 10 ** 0.2)}\n${count(item.value)} calls`;
  }

  apply();
  system.addEventListener("change", () => {
    apply();
    tell("minerva-look", look());
  });
  window.addEventListener("popstate", () => {
    tell("minerva-address", Object.fromEntries(new URLSearchParams(window.location.search)));
  });

  return { look, switchLook, duration, count, bin };
})();
