/** capstan whoami: your user, your rights and how you signed in. */
import type { Me } from "@capstan/client";
import type { Command } from "../command.ts";

export const whoami: Command = {
  usage: "capstan whoami",
  summary:
    "Shows who you are on the server, how you are signed in, and your rights. Exits with 1 when you are not signed in.",
  options: {},
  examples: ["capstan whoami", "capstan whoami --json"],
  async run({ server, print }) {
    const api = await server();
    const answer = await api.logins.me();
    if (!answer.ok) return answer;
    print({ server: api.url, ...answer.value }, () => textOf(api.url, answer.value));
    return answer.value.user === null ? 1 : 0;
  },
};

const BY: Readonly<Record<Me["by"], string>> = {
  nobody: "",
  login: "signed in",
  key: "by an API key",
  owner: "by the server's data folder",
  loopback: "as the server's own user",
};

function textOf(url: string, { user, rights, by, provider }: Me): string {
  if (user === null)
    return `Not signed in at ${url}. ${provider ? "Sign in with `capstan login`, or set" : "Set"} CAPSTAN_KEY.\n`;
  return `${user} at ${url}, ${BY[by]}; ${rights.length > 0 ? `rights: ${rights.join(", ")}` : "no role, so no rights: ask an admin"}\n`;
}
