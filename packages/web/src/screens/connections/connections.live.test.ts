/** Connecting an account in a browser, at a real provider, and ending it. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Studio, studioUnderTest } from "../../../../../tools/studio-under-test.ts";
import { CLIENT, type OAuthAccount, oauthAccount } from "../../../../server/src/fixtures/oauth-account.ts";

let studio: Studio;
let account: OAuthAccount;
beforeAll(async () => {
  account = await oauthAccount("http://127.0.0.1/connections/from/postbox");
  studio = await studioUnderTest({ CAPSTAN_ALLOW_HOSTS: account.host });
  const provider = {
    name: "Postbox",
    issuer: account.url,
    hosts: [account.host],
    base_scopes: ["openid", "email"],
  };
  await studio.server.call("PUT", "/v1/connection-providers/postbox", { ...provider, ...CLIENT });
});
afterAll(async () => {
  await studio?.close();
  await account?.close();
});

test("a person connects an account at the provider, sees it, and revokes it", async () => {
  const page = await studio.open("/connections");
  await page.getByRole("link", { name: "Postbox" }).click();
  await page.getByLabel("Scopes").fill("mail.read");
  await page.getByText("no other hosts").waitFor();
  await page.getByRole("button", { name: "Continue to Postbox" }).click();
  await page.locator('input[name="login"]').fill("mia");
  await page.locator('input[name="password"]').fill("any");
  await page.locator('button[type="submit"]').click();
  await page.locator('button[type="submit"]').click(); // consent
  await page.getByText("Postbox is connected as mia@provider.example.").waitFor();
  expect(new URL(page.url()).search).toBe(""); // the code is not left in the address
  await page.getByRole("link", { name: "All connections" }).click();
  await page.getByText("For every agent").waitFor();
  await page.getByRole("button", { name: "Revoke Postbox" }).click();
  await page.getByText("No connections").waitFor();
  await page.close();
});
