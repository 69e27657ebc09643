/** capstan login, whoami and logout against a real OpenID provider; the login is a file that nobody else can read. */
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { typeCommand } from "../../../../tools/command-under-test.ts";
import { confirmCode, type TestProvider, testProvider } from "../../../../tools/openid-provider.ts";
import { freshPglite } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";
import { reachServer } from "../local-server.ts";
import { loginFile } from "../stored-login.ts";

let op: TestProvider;
let server: TestServer;
const config = mkdtempSync(join(tmpdir(), "capstan-login-"));
beforeAll(async () => {
  op = await testProvider([
    { sub: "alice", email: "alice@example.com", email_verified: true, groups: ["chiefs"] },
  ]);
  server = await testServer(await freshPglite(), {
    CAPSTAN_OIDC_ISSUER: op.issuer,
    CAPSTAN_OIDC_CLIENT_ID: op.clientId,
    CAPSTAN_OIDC_CLIENT_SECRET: op.clientSecret,
    CAPSTAN_OIDC_ADMINS: "groups=chiefs",
  });
  await op.allow(server.url);
});
afterAll(async () => {
  rmSync(config, { recursive: true });
  await server?.stop();
  await op?.close();
});

const environment = () => ({ CAPSTAN_URL: server.url, CAPSTAN_DATA_DIR: config, XDG_CONFIG_HOME: config });

/** As `main.ts` does it: the login is found by itself. */
const capstan = (args: string[], onOutput?: (screen: string) => void) =>
  typeCommand(server.url, args, {
    environment: environment(),
    reach: () => reachServer({ environment: environment(), say: () => {} }),
    ...(onOutput && { onOutput }),
  });

test("a person signs in, is known by it, is not when others can read the file, and signs out", async () => {
  expect(await capstan(["whoami"])).toMatchObject({ code: 1, out: expect.stringContaining("capstan login") });
  const confirmed: Promise<void>[] = [];
  const signedIn = await capstan(["login"], (screen) => {
    const page = /or (\S+)\nand confirm/.exec(screen)?.[1];
    if (page !== undefined && confirmed.length === 0) confirmed.push(confirmCode(page, "alice"));
  });
  await Promise.all(confirmed);
  expect(signedIn).toMatchObject({ code: 0, err: "" });
  expect(signedIn.out).toContain("Signed in as alice@example.com");
  const file = loginFile(`${server.url}/`, environment());
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const { token } = JSON.parse(readFileSync(file, "utf8"));
  expect(signedIn.out).not.toContain(token);
  expect(JSON.parse((await capstan(["whoami", "--json"])).out)).toMatchObject({
    user: "alice@example.com",
    by: "login",
    rights: ["admin"],
  });
  expect((await capstan(["logins"])).out).toMatch(/command line \(this\).*alice@example\.com.*capstan /);

  chmodSync(file, 0o640);
  const refused = await capstan(["whoami"]);
  expect(refused).toMatchObject({ code: 1, err: expect.stringContaining("others can read or change it") });
  chmodSync(file, 0o600);

  expect(JSON.parse((await capstan(["logout", "--json"])).out)).toMatchObject({
    signed_out: "alice@example.com",
  });
  expect(statSync(file, { throwIfNoEntry: false })).toBeUndefined();
  const after = await server.call("GET", "/v1/me", undefined, { authorization: `Bearer ${token}` });
  expect(after.status).toBe(401);
  expect((await capstan(["logout"])).out).toContain("You are not signed in");
});
