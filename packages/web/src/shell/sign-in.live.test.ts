/** A person signs in to the studio with a real OpenID provider, in a real browser. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import AxeBuilder from "@axe-core/playwright";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type TestProvider, testProvider } from "../../../../tools/openid-provider.ts";
import { type Studio, studioUnderTest } from "../../../../tools/studio-under-test.ts";

let op: TestProvider;
let studio: Studio;
let owner: Record<string, string>;
beforeAll(async () => {
  op = await testProvider([
    {
      sub: "alice",
      email: "alice@example.com",
      email_verified: true,
      name: "Alice Adams",
      groups: ["chiefs"],
    },
    { sub: "bob", email: "bob@example.com", email_verified: true, name: "Bob Brown" },
  ]);
  studio = await studioUnderTest({
    CAPSTAN_OIDC_ISSUER: op.issuer,
    CAPSTAN_OIDC_CLIENT_ID: op.clientId,
    CAPSTAN_OIDC_CLIENT_SECRET: op.clientSecret,
    CAPSTAN_OIDC_ADMINS: "groups=chiefs",
  });
  await op.allow(studio.server.url);
  const { CAPSTAN_DATA_DIR } = studio.server.services.settings;
  owner = { authorization: `Bearer ${readFileSync(join(CAPSTAN_DATA_DIR, "owner-token"), "utf8").trim()}` };
});
afterAll(async () => {
  await studio?.close();
  await op?.close();
});

test("a person signs in, is shown, sees where they are signed in, and signs out", async () => {
  const page = await studio.open("/settings/logins");
  const signIn = page.getByRole("button", { name: /^Sign in with/ });
  await signIn.waitFor();
  const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze();
  expect(violations).toEqual([]);
  await signIn.click();
  await page.getByRole("link", { name: "alice" }).click();
  await page.waitForURL(`${studio.server.url}/settings/logins`); // where they wanted to go
  await page.getByText("this one").waitFor();
  await page.getByText("Alice Adams").first().waitFor();
  const cookies = await page.context().cookies(studio.server.url);
  expect(cookies.filter(({ name }) => name.startsWith("capstan"))).toMatchObject([
    { name: "capstan-login", httpOnly: true, sameSite: "Lax", path: "/" },
  ]);
  expect(await page.evaluate("document.cookie")).toBe("");
  await page.getByRole("button", { name: "Sign out", exact: true }).first().click();
  await signIn.waitFor();
  await page.context().close();
});

test("who has no role is told so, and is let in within a moment when one is given", async () => {
  const page = await studio.open("/agents");
  await page.getByRole("button", { name: /^Sign in with/ }).click();
  await page.getByRole("link", { name: "bob" }).click();
  await page.getByText("You are signed in as bob@example.com, but you have no role yet").waitFor();
  await studio.server.call(
    "POST",
    "/v1/roles",
    { claim: "email", value: "bob@example.com", role: "author" },
    owner,
  );
  await page.getByRole("link", { name: "Agents" }).first().waitFor();
  await page.context().close();
});

test("a sign-in that failed says why in our words, and not in the address's", async () => {
  const page = await studio.open("/?sign_in=denied");
  await page.getByText("The sign-in was cancelled.").waitFor();
  await page.goto(`${studio.server.url}/?sign_in=Call%20this%20number`);
  await page.getByRole("button", { name: /^Sign in with/ }).waitFor();
  expect(await page.getByText("Call this number").count()).toBe(0);
  expect(studio.faults).toEqual([]);
  await page.context().close();
});
