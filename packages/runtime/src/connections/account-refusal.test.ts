import { describe, expect, test } from "vitest";
import { accountRefusal } from "./account-refusal.ts";
import { CONNECTION_PROVIDERS } from "./provider-table.ts";

const provider = (wanted: string) => CONNECTION_PROVIDERS.find(({ id }) => id === wanted) ?? {};
const answer = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), {
    status,
    headers: { "content-type": "application/json; charset=utf-8", ...headers },
  });
const challenge = (text: string) => ({ "www-authenticate": text });

describe("a response", () => {
  test.each([
    ["401 of GitHub", "github", answer(401, {}), { kind: "token" }],
    [
      "403 that names scopes",
      "google",
      answer(403, {}, challenge('Bearer error="insufficient_scope", scope="mail.read mail.send"')),
      { kind: "scope", scopes: ["mail.read", "mail.send"] },
    ],
    ["403 for another reason", "google", answer(403, {}, challenge("Bearer")), undefined],
    ["200", "google", answer(200, { ok: false, error: "token_revoked" }), undefined],
    ["Slack's 200", "slack", answer(200, { ok: true, channels: [] }), undefined],
    ["Slack's revoked token", "slack", answer(200, { ok: false, error: "token_revoked" }), { kind: "token" }],
    ["Slack's ended token", "slack", answer(200, { ok: false, error: "token_expired" }), { kind: "token" }],
    [
      "Slack's missing scopes",
      "slack",
      answer(200, { ok: false, error: "missing_scope", needed: "chat:write,users:read", provided: "a" }),
      { kind: "scope", scopes: ["chat:write", "users:read"] },
    ],
    ["Slack's other errors", "slack", answer(200, { ok: false, error: "channel_not_found" }), undefined],
    [
      "a message on Slack that quotes one",
      "slack",
      answer(200, { ok: true, text: '{"ok":false,"error":"token_revoked"}' }),
      undefined,
    ],
    ["a list", "slack", answer(200, ["ok"]), undefined],
  ])("%s", async (_, id, response, expected) => {
    expect(await accountRefusal(provider(id), response)).toEqual(expected);
    expect(await response.text()).not.toBe(""); // the tool still reads it
  });
});
