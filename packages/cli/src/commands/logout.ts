/** capstan logout: ends the login at the server, then forgets it here. */
import { createApi } from "@capstan/client";
import type { Command } from "../command.ts";
import { readLogin, removeLogin } from "../stored-login.ts";

export const logout: Command = {
  usage: "capstan logout",
  summary: "Ends the session that `capstan login` started, and deletes it from your config folder.",
  options: {},
  examples: ["capstan logout"],
  async run({ server, environment, print }) {
    const { url } = await server();
    const login = readLogin(url, environment);
    if (!login) return print({ server: url, signed_out: null }, `You are not signed in at ${url}\n`);
    const ended = await createApi({ url, key: login.token }).logins.end();
    const isOver = ended.ok || ended.failure.code === "unauthenticated"; // expired, or revoked by someone else
    if (!isOver) return ended; // still valid there: forgetting it here would only hide that
    removeLogin(url, environment);
    return print({ server: url, signed_out: login.user }, `Signed out ${login.user}\n`);
  },
};
