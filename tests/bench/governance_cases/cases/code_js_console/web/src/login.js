import { api } from "./util.mjs";

export async function login(form) {
  const user = await api("/login", form);
  console.log(`login ok: ${user.email} / ${user.phone}`);
  return user;
}
