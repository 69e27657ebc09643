/**
 * The rows of the table against answers of the providers, as their documentation and their own client libraries record
 * them. A stand-in refuses what the provider would refuse: a missing header, the wrong encoding, a client in the wrong place.
 */
import { type GuardedFetch, type GuardedFetchOptions, ok } from "@capstan/core";
import { describe, expect, test } from "vitest";
import type { ConfiguredProvider } from "./connection-providers.ts";
import { CONNECTION_PROVIDERS, lackingScopes, scopesToAsk } from "./provider-table.ts";
import { readAccount, requestTokens, revokeTokens } from "./token-requests.ts";

const NOW = new Date("2026-11-19T12:00:00Z");
const CODE = {
  grant_type: "authorization_code",
  code: "a-code-of-the-provider",
  redirect_uri: "https://here/cb",
};
const REFRESH = { grant_type: "refresh_token", refresh_token: "a-refresh-token" };
const BASIC = `Basic ${Buffer.from("our-client:our-secret").toString("base64")}`;

interface Sent {
  readonly url: string;
  readonly method: string | undefined;
  readonly headers: Record<string, string>;
  readonly fields: Record<string, unknown>;
}

const provider = (id: string): ConfiguredProvider => {
  const row = CONNECTION_PROVIDERS.find((each) => each.id === id);
  if (!row) throw new Error(id);
  const given = {
    clientId: "our-client",
    clientSecret: "our-secret",
    isReady: true,
    isListed: true,
  } as const;
  return { ...row, ...given, from: "settings", settings: {} };
};

function readBody({ body = "", headers = {} }: GuardedFetchOptions): Record<string, unknown> {
  if (body === "") return {};
  const isJson = headers["content-type"] === "application/json";
  return isJson ? JSON.parse(String(body)) : Object.fromEntries(new URLSearchParams(String(body)));
}

/** Answers in turn, and keeps what was sent. */
function standIn(...answers: (readonly [status: number, body: unknown])[]) {
  const sent: Sent[] = [];
  const fetch: GuardedFetch = async (url, options = {}) => {
    const { method, headers = {} } = options;
    sent.push({ url, method, headers: { ...headers }, fields: readBody(options) });
    const [status, body] = answers[sent.length - 1] ?? [500, {}];
    return ok(
      status === 204 ? new Response(null, { status }) : new Response(JSON.stringify(body), { status }),
    );
  };
  return { fetch, sent };
}

const idToken = (claims: object) => `e30.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.x`;

describe("a code becomes tokens", () => {
  test.each<[id: string, answer: object, tokens: object]>([
    [
      "microsoft",
      {
        token_type: "Bearer",
        scope:
          "profile openid email https://graph.microsoft.com/Mail.Read https://graph.microsoft.com/User.Read",
        expires_in: 3599,
        ext_expires_in: 3599,
        access_token: "at",
        refresh_token: "rt",
        id_token: idToken({ ver: "2.0", preferred_username: "mia@contoso.example", oid: "o", tid: "t" }),
      },
      { account: "mia@contoso.example", expiresAt: new Date("2026-11-19T12:59:59Z") },
    ],
    [
      "google",
      {
        access_token: "at",
        expires_in: 3599,
        refresh_token: "rt",
        scope:
          "https://www.googleapis.com/auth/userinfo.email openid https://www.googleapis.com/auth/gmail.readonly",
        token_type: "Bearer",
        id_token: idToken({ iss: "https://accounts.google.com", email: "mia@gmail.example" }),
      },
      { account: "mia@gmail.example" },
    ],
    [
      "github",
      { access_token: "at", scope: "repo,gist", token_type: "bearer" },
      { scopes: ["repo", "gist"], expiresAt: undefined, secret: { accessToken: "at" } },
    ],
    [
      "gitlab",
      {
        access_token: "at",
        token_type: "Bearer",
        expires_in: 7200,
        refresh_token: "rt",
        scope: "read_api openid email",
        created_at: 1607635748,
        id_token: idToken({ sub: "42", nickname: "mia", email: "mia@gitlab.example" }),
      },
      { account: "mia@gitlab.example", expiresAt: new Date("2026-11-19T14:00:00Z") },
    ],
    [
      "slack",
      {
        ok: true,
        app_id: "A1",
        authed_user: {
          id: "U1",
          scope: "channels:history,chat:write",
          access_token: "at",
          token_type: "user",
          expires_in: 43200,
          refresh_token: "rt",
        },
        team: { id: "T1", name: "Team" },
        enterprise: null,
        is_enterprise_install: false,
      },
      { scopes: ["channels:history", "chat:write"], expiresAt: new Date("2026-11-20T00:00:00Z") },
    ],
    [
      "atlassian",
      {
        access_token: "at",
        scope: "read:jira-work offline_access",
        expires_in: 3600,
        token_type: "Bearer",
        refresh_token: "rt",
      },
      { scopes: ["read:jira-work", "offline_access"] },
    ],
    [
      "notion",
      {
        access_token: "at",
        token_type: "bearer",
        refresh_token: "rt",
        bot_id: "b",
        workspace_icon: null,
        workspace_name: "Team wiki",
        workspace_id: "w",
        owner: { type: "user", user: { object: "user", id: "u" } },
        duplicated_template_id: null,
        request_id: "r",
      },
      { account: "Team wiki", expiresAt: undefined, scopes: undefined },
    ],
  ])("of %s", async (id, answer, tokens) => {
    const { fetch } = standIn([200, answer]);
    const got = await requestTokens(fetch, provider(id), CODE, NOW);
    const secret = id === "github" ? { accessToken: "at" } : { accessToken: "at", refreshToken: "rt" };
    expect(got).toMatchObject({ ok: true, value: { secret, ...tokens } });
  });

  test("and the client names itself where the provider looks for it", async () => {
    for (const { id, oauth } of CONNECTION_PROVIDERS) {
      const { fetch, sent } = standIn([200, { access_token: "at" }]);
      await requestTokens(fetch, provider(id), CODE, NOW);
      const [request] = sent;
      const isBasic = id === "notion";
      const isJson = id === "notion" || id === "atlassian";
      expect.soft(request?.url, id).toBe(oauth?.tokenUrl);
      expect.soft(request?.headers.authorization, id).toBe(isBasic ? BASIC : undefined);
      expect.soft(request?.fields.client_secret, id).toBe(isBasic ? undefined : "our-secret");
      expect.soft(request?.headers.accept, id).toBe("application/json"); // GitHub answers a form without it
      expect
        .soft(request?.headers["content-type"], id)
        .toBe(isJson ? "application/json" : "application/x-www-form-urlencoded");
      const version = id === "notion" ? expect.stringMatching(/^\d{4}-\d\d-\d\d$/) : undefined;
      expect.soft(request?.headers["notion-version"], id).toEqual(version);
    }
  });

  test("but not when Slack gave only its bot's token", async () => {
    const { fetch } = standIn([
      200,
      { ok: true, access_token: "xoxb", token_type: "bot", authed_user: { id: "U1" } },
    ]);
    expect(await requestTokens(fetch, provider("slack"), CODE, NOW)).toMatchObject({ ok: false });
  });

  test.each<[id: string, status: number, refusal: object, why: RegExp]>([
    [
      "github",
      200,
      { error: "bad_verification_code", error_description: "The code passed" },
      /bad_verification/,
    ],
    ["slack", 200, { ok: false, error: "invalid_code" }, /invalid_code/],
    ["microsoft", 400, { error: "invalid_client", error_description: "AADSTS7000215" }, /AADSTS7000215/],
    ["atlassian", 403, { error: "access_denied", error_description: "Unauthorized" }, /access_denied/],
    [
      "notion",
      400,
      { object: "error", status: 400, code: "missing_version", message: "Notion-Version header failed" },
      /400: Notion-Version/,
    ],
  ])("and a refusal of %s with status %i says why", async (id, status, refusal, why) => {
    const { fetch } = standIn([status, refusal]);
    const got = await requestTokens(fetch, provider(id), CODE, NOW);
    expect(got.ok ? "" : got.failure.message).toMatch(why);
  });
});

describe("a refresh", () => {
  test("keeps the refresh token where none comes back, and the user's new one of Slack", async () => {
    const google = standIn([
      200,
      { access_token: "new", expires_in: 3599, scope: "openid", token_type: "Bearer" },
    ]);
    expect(await requestTokens(google.fetch, provider("google"), REFRESH, NOW)).toMatchObject({
      value: { secret: { accessToken: "new", refreshToken: "a-refresh-token" } },
    });
    const rotated = {
      ok: true,
      access_token: "new",
      expires_in: 43200,
      refresh_token: "next",
      token_type: "user",
    };
    const slack = standIn([200, rotated]);
    expect(await requestTokens(slack.fetch, provider("slack"), REFRESH, NOW)).toMatchObject({
      value: { secret: { accessToken: "new", refreshToken: "next" } },
    });
  });

  test.each<[id: string, status: number, error: string, isFinal: boolean]>([
    ["google", 400, "invalid_grant", true],
    ["microsoft", 400, "interaction_required", true],
    ["microsoft", 400, "consent_required", true],
    ["microsoft", 400, "invalid_client", false],
    ["microsoft", 400, "unauthorized_client", false],
    ["github", 200, "bad_refresh_token", true],
    ["gitlab", 400, "invalid_grant", true],
    ["slack", 200, "invalid_refresh_token", true],
    ["slack", 200, "token_revoked", true],
    ["slack", 200, "internal_error", false],
    ["atlassian", 403, "unauthorized_client", true],
    ["atlassian", 403, "invalid_grant", true],
    ["notion", 400, "invalid_grant", true],
    ["notion", 503, "service_unavailable", false],
  ])("that %s refuses with %i and %s ends the connection: %s", async (id, status, error, isFinal) => {
    const { fetch } = standIn([status, { error, error_description: "refresh_token is invalid" }]);
    expect(await requestTokens(fetch, provider(id), REFRESH, NOW)).toMatchObject({ ok: false, isFinal });
  });
});

describe("revoking", () => {
  const SECRET = { accessToken: "at", refreshToken: "rt" };
  test.each<[id: string, status: number, body: unknown, confirmed: boolean | undefined]>([
    ["google", 200, {}, true],
    ["google", 400, { error: "invalid_token", error_description: "Token expired or revoked" }, true],
    ["google", 400, { error: "invalid_request" }, false],
    ["gitlab", 200, {}, true],
    ["gitlab", 403, { error: "unauthorized_client" }, false],
    ["github", 204, undefined, true],
    ["github", 404, { message: "Not Found" }, false],
    ["slack", 200, { ok: true, revoked: true }, true],
    ["slack", 200, { ok: true, revoked: false }, false],
    ["slack", 200, { ok: false, error: "not_allowed_token_type" }, false],
    ["slack", 200, { ok: false, error: "token_revoked" }, true],
    ["notion", 200, { request_id: "r" }, true],
    ["notion", 400, { object: "error", code: "missing_version", message: "Notion-Version" }, false],
    ["microsoft", 200, {}, undefined],
    ["atlassian", 200, {}, undefined],
  ])("at %s, which answers %i %j: %s", async (id, status, body, confirmed) => {
    const { fetch } = standIn([status, body]);
    expect(await revokeTokens(fetch, provider(id), { accessToken: "at" }, NOW)).toBe(confirmed);
  });

  test("sends what the provider reads", async () => {
    const sentTo = async (id: string) => {
      const { fetch, sent } = standIn([200, { ok: true }]);
      await revokeTokens(fetch, provider(id), SECRET, NOW);
      return sent[0];
    };
    expect(await sentTo("google")).toMatchObject({ fields: { token: "rt" } });
    expect(await sentTo("github")).toMatchObject({
      method: "DELETE",
      headers: { authorization: BASIC },
      fields: { access_token: "at" },
    });
    expect(await sentTo("slack")).toMatchObject({ headers: { authorization: "Bearer at" } });
    expect(await sentTo("notion")).toMatchObject({
      headers: { authorization: BASIC, "notion-version": expect.any(String) },
      fields: { token: "at" },
    });
  });

  test("an access token that has expired is renewed first, or the grant would live on", async () => {
    const fresh = { ok: true, access_token: "new", token_type: "user", refresh_token: "next" };
    const { fetch, sent } = standIn(
      [200, { ok: false, error: "token_expired" }],
      [200, fresh],
      [200, { ok: true, revoked: true }],
    );
    expect(await revokeTokens(fetch, provider("slack"), SECRET, NOW)).toBe(true);
    expect(sent.at(-1)?.headers.authorization).toBe("Bearer new");
    const over = standIn(
      [200, { ok: false, error: "token_expired" }],
      [200, { ok: false, error: "invalid_refresh_token" }],
    );
    expect(await revokeTokens(over.fetch, provider("slack"), SECRET, NOW)).toBe(true);
  });
});

test.each<[id: string, answer: unknown, account: string]>([
  ["github", { login: "octocat", id: 1 }, "octocat"],
  ["slack", { ok: true, url: "https://team.slack.com/", team: "Team", user: "mia", user_id: "U1" }, "mia"],
  [
    "atlassian",
    [{ id: "c", url: "https://team.atlassian.net", name: "team", scopes: [] }],
    "https://team.atlassian.net",
  ],
])("%s says which account it is", async (id, answer, account) => {
  const { fetch } = standIn([200, answer]);
  expect(await readAccount(fetch, provider(id), "at")).toBe(account);
});

describe("scopes", () => {
  test.each<[id: string, wanted: string[], have: string[], lacking: string[]]>([
    ["microsoft", ["mail.read", "offline_access"], ["https://graph.microsoft.com/Mail.Read"], []],
    ["google", ["email", "profile"], ["https://www.googleapis.com/auth/userinfo.profile"], []],
    ["slack", ["chat:write"], ["channels:history"], ["chat:write"]],
    ["notion", [], [], []],
  ])("of %s: wants %j, has %j", (id, wanted, have, lacking) => {
    expect(lackingScopes(provider(id), wanted, have)).toEqual(lacking);
  });

  const drive = "https://www.googleapis.com/auth/drive";
  test.each<[why: string, id: string, named: string[], have: string[], isReading: boolean, asked: string[]]>([
    ["all that are missing", "slack", ["chat:write", "users:read"], ["users:read"], true, ["chat:write"]],
    ["the one that reads", "google", [drive, `${drive}.readonly`], [], true, [`${drive}.readonly`]],
    ["none of several that write", "google", [drive, `${drive}.file`], [], false, []],
    ["the only one", "google", [drive], [], false, [drive]],
    ["none, if one is there", "google", [drive, `${drive}.file`], [`${drive}.file`], true, []],
    ["the one that reads", "gitlab", ["ai_workflows", "api", "read_api"], [], true, ["read_api"]],
  ])("asks for %s: %s", (_, id, named, have, isReading, asked) => {
    expect(scopesToAsk(provider(id), named, have, isReading)).toEqual(asked);
  });
});
