export async function api(path, body) {
  const r = await fetch(path, { method: "POST", body: JSON.stringify(body) });
  return r.json();
}
