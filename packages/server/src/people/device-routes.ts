/**
 * /v1/logins/device: a command line signs in by the provider's device flow, without a secret of its own. The provider's code
 * is sealed in the handle that the command line keeps, so nothing is stored and every process of the server can answer.
 */
import { createHash } from "node:crypto";
import { DeviceLogin, DeviceLoginPoll, DeviceLoginStart, DeviceLoginState } from "@capstan/client/wire";
import { fail, ok, type Result } from "@capstan/core";
import type { SecretBox } from "@capstan/runtime";
import { createRoute } from "@hono/zod-openapi";
import { z } from "zod";
import { requestLimit } from "../auth/caller-limit.ts";
import { json, jsonBody, newRoutes } from "../http/define-route.ts";
import { problem } from "../http/problem.ts";
import type { Log } from "../settings/log.ts";
import type { Settings } from "../settings/settings.ts";
import type { OpenIdProvider } from "./openid-provider.ts";
import { type StartLoginParts, startLogin } from "./start-login.ts";

const start = createRoute({
  operationId: "startDeviceLogin",
  method: "post",
  path: "/v1/logins/device",
  summary: "Start to sign in a command line: a code that a person confirms at the OpenID provider",
  "x-capstan-right": "none",
  request: { body: jsonBody(DeviceLoginStart) },
  responses: { 201: json(DeviceLogin, "What to show, and the handle to ask with.") },
});

const poll = createRoute({
  operationId: "pollDeviceLogin",
  method: "post",
  path: "/v1/logins/device/poll",
  summary: "Whether the code was confirmed; then the login's token, once",
  "x-capstan-right": "none",
  request: { body: jsonBody(DeviceLoginPoll) },
  responses: { 200: json(DeviceLoginState, "Pending, or signed in.") },
});

export interface DeviceRouteParts extends StartLoginParts {
  readonly settings: Settings;
  readonly provider: OpenIdProvider | undefined;
  readonly log: Log;
  /** Seals the provider's codes. */
  readonly deviceBox: SecretBox;
}

const STARTS_PER_MINUTE = { ofOne: 20, ofAll: 300 }; // each asks the provider
const SLOWER_SECONDS = 5; // RFC 8628, section 3.5
const NO_STORE = { "cache-control": "no-store" };

const Sealed = z.object({ code: z.string(), device: z.string(), interval: z.number(), until: z.number() });
type Sealed = z.infer<typeof Sealed>;

export function deviceRoutes(parts: DeviceRouteParts) {
  const { provider, log, deviceBox } = parts;
  const routes = newRoutes("logins");
  const limit = requestLimit(STARTS_PER_MINUTE, parts.settings);
  const pace = paces();
  routes.openapi(start, async (c) => {
    if (!provider) return problem(c, fail("sign_in_not_set_up", {}).failure);
    const reached = limit(c);
    if (reached)
      return problem(c, fail("rate_limited", reached).failure, {
        "retry-after": String(reached.retryAfterSeconds),
      });
    const begun = await provider.beginDevice();
    if (!begun.ok) {
      log.info(`A login of a command line could not start: ${begun.failure.message}`);
      return problem(c, begun.failure);
    }
    const { code, userCode, page, pageWithCode, interval, expiresIn } = begun.value;
    const until = Date.now() + expiresIn * 1000;
    const sealed: Sealed = { code, device: c.req.valid("json").device, interval, until };
    const answer: DeviceLogin = {
      handle: deviceBox.seal(JSON.stringify(sealed)),
      user_code: userCode,
      verification_uri: page,
      verification_uri_complete: pageWithCode ?? null,
      interval,
      expires_at: new Date(until).toISOString(),
    };
    return c.json(answer, 201, NO_STORE);
  });
  routes.openapi(poll, async (c) => {
    if (!provider) return problem(c, fail("sign_in_not_set_up", {}).failure);
    const asked = await ask(c.req.valid("json").handle, { ...parts, provider }, pace);
    if (asked.ok) return c.json(asked.value, 200, NO_STORE);
    log.info(`A login of a command line failed: ${asked.failure.message}`);
    return problem(c, asked.failure);
  });
  return routes;
}

async function ask(
  handle: string,
  parts: DeviceRouteParts & { readonly provider: OpenIdProvider },
  pace: ReturnType<typeof paces>,
): Promise<Result<DeviceLoginState>> {
  const login = opened(handle, parts.deviceBox);
  if (login === undefined) return fail("login_expired", {});
  const turn = pace(login);
  if (!turn.isNow) return ok({ status: "pending", interval: turn.interval() });
  const asked = await parts.provider.askDevice(login.code);
  if (!asked.ok) return asked;
  if (asked.value === "slow down") turn.slower();
  if (typeof asked.value === "string") return ok({ status: "pending", interval: turn.interval() });
  const made = await startLogin(parts, asked.value, { kind: "command line", device: login.device });
  if (!made.ok) return made;
  const { id, userEmail, expiresAt } = made.value.login;
  const { token } = made.value;
  return ok({ status: "done", token, login_id: id, user: userEmail, expires_at: expiresAt.toISOString() });
}

function opened(handle: string, box: SecretBox): Sealed | undefined {
  const text = box.open(handle);
  if (text === undefined) return undefined;
  const login = Sealed.parse(JSON.parse(text)); // sealed by us
  return login.until > Date.now() ? login : undefined;
}

/** When the provider may be asked again about a login, however often the command line asks. */
function paces() {
  const kept = new Map<string, { interval: number; next: number; until: number }>();
  return ({ code, interval, until }: Sealed) => {
    for (const [key, each] of kept) if (each.until < Date.now()) kept.delete(key); // as many as can start in their time
    const key = createHash("sha256").update(code).digest("base64url");
    const mine = kept.get(key) ?? { interval, next: 0, until };
    kept.set(key, mine);
    const isNow = performance.now() >= mine.next;
    const wait = () => {
      mine.next = performance.now() + mine.interval * 1000;
    };
    if (isNow) wait();
    return {
      isNow,
      interval: () => mine.interval,
      slower: () => {
        mine.interval += SLOWER_SECONDS;
        wait();
      },
    };
  };
}
