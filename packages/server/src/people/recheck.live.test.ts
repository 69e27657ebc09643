/** People whose directory pushes nothing: the provider is asked again, and what it says now counts. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import {
  browse,
  CookieJar,
  comeBack,
  type TestProvider,
  testProvider,
} from "../../../../tools/openid-provider.ts";
import { STORES } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";

type Headers = Record<string, string>;

const KINDS = [
  { how: "by refresh token", givesRefreshTokens: true, scopes: "openid email profile offline_access" },
  { how: "by access token", givesRefreshTokens: false, scopes: "openid email profile" },
];

describe.each(STORES.flatMap((store) => KINDS.map((kind) => ({ ...store, ...kind }))))(
  "asked again $how, on $name",
  ({ fresh, givesRefreshTokens, scopes }) => {
    let op: TestProvider;
    let server: TestServer;
    let owner: Headers;
    beforeAll(async () => {
      op = await testProvider([], { givesRefreshTokens });
      const store = await fresh();
      server = await testServer(store, {
        CAPSTAN_OIDC_ISSUER: op.issuer,
        CAPSTAN_OIDC_CLIENT_ID: op.clientId,
        CAPSTAN_OIDC_CLIENT_SECRET: op.clientSecret,
        CAPSTAN_OIDC_SCOPES: scopes,
      });
      await op.allow(server.url);
      owner = { authorization: `Bearer ${readFileSync(join(store.dataDir, "owner-token"), "utf8").trim()}` };
      const rule = { claim: "groups", value: "staff", role: "author" };
      await server.call("POST", "/v1/roles", rule, owner);
    }, 60_000);
    afterAll(async () => {
      await server?.stop();
      await op?.close();
    });

    async function somebody(name: string) {
      const email = `${name}@example.com`;
      op.people.set(name, { sub: name, email, email_verified: true, groups: ["staff"] });
      const jar = new CookieJar();
      await browse(jar, await comeBack(jar, new URL("/login", server.url), name));
      const login = jar.of(server.url).get("capstan-login");
      const asked = { name, owner: email, rights: ["author"] };
      const key = (await server.call("POST", "/v1/keys", asked, owner)).body.key;
      return {
        email,
        page: { cookie: `capstan-login=${login}`, origin: server.url },
        key: { authorization: `Bearer ${key}` },
      };
    }
    const status = async (headers: Headers) =>
      (await server.call("GET", "/v1/agents", undefined, headers)).status;
    /** As if the interval had passed since the provider was asked. */
    const age = (email: string) =>
      server.services.database.pool.query(
        "update identities set checked_at = now() - interval '1 hour' where user_email = $1",
        [email],
      );
    /** The process remembers that it looked: another one would not. */
    const soon = async (email: string, check: () => Promise<void>) => {
      await age(email);
      server.services.identityChecks.forget(email);
      await vi.waitFor(check, { timeout: 3000 });
    };

    test("groups that changed at the provider count without a sign-in, for logins and keys", async () => {
      const { email, page, key } = await somebody("ann");
      expect([await status(page), await status(key)]).toEqual([200, 200]);
      op.people.set("ann", { sub: "ann", email, email_verified: true, groups: [] });
      await soon(email, async () => expect([await status(page), await status(key)]).toEqual([403, 403]));
      op.people.set("ann", { sub: "ann", email, email_verified: true, groups: ["staff"] });
      await soon(email, async () => expect([await status(page), await status(key)]).toEqual([200, 200]));
    });

    test("the provider's tokens are in no table in the clear", async () => {
      const { email } = await somebody("bo");
      const { rows } = await server.services.database.pool.query(
        "select sealed_tokens from identities where user_email = $1",
        [email],
      );
      expect(rows[0].sealed_tokens).toMatch(/^[\w+/=]{80,}$/);
    });

    test("a provider that does not answer ends nothing", async () => {
      const { email, page } = await somebody("cy");
      await age(email);
      op.tokens.refuse = "temporarily_unavailable";
      server.services.identityChecks.forget(email);
      const seen = await status(page);
      op.tokens.refuse = undefined;
      expect(seen).toBe(200);
    });

    test.runIf(givesRefreshTokens)(
      "who is gone there has no login and no key here, until they sign in",
      async () => {
        const { email, page, key } = await somebody("dee");
        const person = op.people.get("dee");
        op.people.delete("dee");
        await soon(email, async () => expect([await status(page), await status(key)]).toEqual([401, 403]));
        const { body } = await server.call(
          "GET",
          "/v1/audit?action=login.ended_by_provider",
          undefined,
          owner,
        );
        expect(body.items[0]).toMatchObject({ subject: email, details: { ended: 1 } });
        if (person) op.people.set("dee", person);
        const again = await somebody("dee");
        const worth = async () => [await status(again.page), await status(key), await status(page)];
        await vi.waitFor(async () => expect(await worth()).toEqual([200, 200, 401]), { timeout: 3000 });
      },
    );

    test.runIf(givesRefreshTokens)("many at once ask the provider once", async () => {
      const { email, page, key } = await somebody("eli");
      await age(email);
      const before = op.tokens.asked;
      await Promise.all(
        [page, key, page, key, page, key].map((headers) => {
          server.services.identityChecks.forget(email);
          return status(headers);
        }),
      );
      expect(op.tokens.asked - before).toBe(1);
      expect(await status(page)).toBe(200);
    });

    test.runIf(!givesRefreshTokens)(
      "once the access token is over, the login lasts as long as it says",
      async () => {
        const { email, page } = await somebody("fi");
        const pool = server.services.database.pool;
        await pool.query("update identities set sealed_tokens = 'broken' where user_email = $1", [email]);
        await soon(email, async () => expect(await status(page)).toBe(200));
        const { rows } = await pool.query("select sealed_tokens from identities where user_email = $1", [
          email,
        ]);
        expect(rows[0].sealed_tokens).toBeNull();
      },
    );
  },
);
