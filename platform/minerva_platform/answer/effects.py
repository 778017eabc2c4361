"""What a run did to the world, in words: what, to whom, when, and whether it is known."""

from collections.abc import Iterable
from datetime import datetime
from typing import Final

from minerva_platform.contract.values import Effect
from minerva_platform.text.language import Language
from minerva_platform.text.markdown import code_span, escaped
from minerva_platform.text.texts import read_texts

TEXTS = read_texts("minerva_platform.answer", "effects")

MAX_TOLD: Final = 20
"""Effects of one outcome that are told; the run object has them all."""
MAX_VALUE_CHARACTERS: Final = 60
"""Characters of an argument that are told."""
_KEYS: Final = ("done", "done_and_failed", "unknown", "failed")


def effects_text(effects: Iterable[Effect], language: Language, paths: Iterable[str] = ()) -> str:
    """Return what was done, a line for each outcome; empty without effects.

    `paths` are those of calls without a result; an empty path is the run's.
    """
    failed_paths, lines = [*paths], list[str]()
    told = [(_key(effect, failed_paths), effect_name(effect)) for effect in effects]
    for key in _KEYS:
        named = [name for of, name in told if of == key]
        hidden = len(named) - MAX_TOLD
        more = [TEXTS("more", language, count=hidden)] if hidden > 0 else []
        if named:
            lines.append(TEXTS(key, language, effects="; ".join((*named[:MAX_TOLD], *more))))
    return "\n".join(lines)


def dated_text(effects: Iterable[Effect], language: Language) -> str:
    """Return effects of earlier turns, a line each, with the time of each."""
    return "\n".join(
        TEXTS(f"dated.{each.outcome}", language, effect=effect_name(each), when=when_of(each))
        for each in effects
    )


def effect_name(effect: Effect) -> str:
    """Return the name of an effect with what it is done to: `pay (invoice: 3)`."""
    names = effect.target or tuple(effect.arguments)
    told = (
        f"{name}: {_value(effect.arguments[name])}" for name in names if name in effect.arguments
    )
    what = ", ".join(told)
    return f"{code_span(effect.name)} ({what})" if what else code_span(effect.name)


def when_of(effect: Effect) -> str:
    """Return when it was done, by this machine's clock and zone: `2026-11-27 14:02`."""
    return f"{datetime.fromtimestamp(effect.at).astimezone():%Y-%m-%d %H:%M}"


def _key(effect: Effect, failed_paths: Iterable[str]) -> str:
    within = any(not path or f"{effect.path}/".startswith(f"{path}/") for path in failed_paths)
    return "done_and_failed" if within and effect.outcome == "done" else effect.outcome


def _value(value: object) -> str:
    return escaped(value if isinstance(value, str) else repr(value), MAX_VALUE_CHARACTERS)
