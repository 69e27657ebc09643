/** capstan login: signs in by the provider's device flow; the server asks the provider, so no secret is needed here. */
import { hostname } from "node:os";
import { type Api, createApi, type DeviceLogin } from "@capstan/client";
import { fail, ok } from "@capstan/core";
import type { Command, CommandContext } from "../command.ts";
import { jsonLine } from "../json-text.ts";
import { readLogin, writeLogin } from "../stored-login.ts";
import { VERSION } from "../version.ts";

export const login: Command = {
  usage: "capstan login",
  summary:
    "Signs in with the server's OpenID provider: open the address shown, on any device, and confirm the code. The login is stored in your config folder for this server and used when CAPSTAN_KEY is not set.",
  options: {},
  examples: ["capstan login", "CAPSTAN_URL=https://capstan.example.com capstan login"],
  async run(context) {
    const { server, environment, print } = context;
    const { url } = await server();
    const before = readLogin(url, environment);
    const api = createApi({ url }); // there is no user before the sign-in
    const started = await api.logins.startDevice({
      device: `capstan ${VERSION} on ${hostname()}`.slice(0, 200),
    });
    if (!started.ok) return started;
    show(context, started.value);
    const done = await awaitConfirmation(api, started.value);
    if (!done.ok) return done;
    const { token, user, expires_at, login_id } = done.value;
    const file = writeLogin({ url, token, user, expiresAt: expires_at }, environment);
    if (before) await createApi({ url, key: before.token }).logins.end(); // replaced; it may have ended already
    const note = environment.CAPSTAN_KEY?.trim() ? "CAPSTAN_KEY is set and takes precedence.\n" : "";
    const text = `Signed in as ${user} until ${expires_at}; stored in ${file}\n${note}`;
    return print({ server: url, user, login_id, expires_at, file }, text);
  },
};

function show({ json, terminal }: CommandContext, { handle: _secret, ...shown }: DeviceLogin): void {
  const { user_code, verification_uri, verification_uri_complete } = shown;
  if (json) {
    terminal.err(jsonLine(shown));
    return;
  }
  const short = verification_uri_complete === null ? "" : `\n  or ${verification_uri_complete}`;
  terminal.out(
    `Open ${verification_uri}${short}\nand confirm the code ${user_code}\nWaiting until ${shown.expires_at} ...\n`,
  );
}

/** Failures that may be gone at the next poll. */
const PASSING = new Set(["server_unreachable", "rate_limited"]);

async function awaitConfirmation({ logins }: Api, { handle, expires_at, ...start }: DeviceLogin) {
  const end = performance.now() + (Date.parse(expires_at) - Date.now());
  let { interval } = start;
  while (performance.now() < end) {
    await new Promise((resolve) => setTimeout(resolve, interval * 1000));
    const asked = await logins.pollDevice(handle);
    if (!asked.ok && !PASSING.has(asked.failure.code)) return asked;
    if (!asked.ok) continue;
    if (asked.value.status === "done") return ok(asked.value);
    interval = asked.value.interval;
  }
  return fail("login_expired", {});
}
