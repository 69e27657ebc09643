/** Sharing in a real browser: an agent with a person, and a session by a link that a stranger opens. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Studio, studioUnderTest } from "../../../../../tools/studio-under-test.ts";

let studio: Studio;
beforeAll(async () => {
  studio = await studioUnderTest();
});
afterAll(async () => studio?.close());

const call = (method: string, path: string, body?: unknown) => studio.server.call(method, path, body);

test("an agent is shared with a person who may use and approve, and made private again", async () => {
  const { body: agent } = await call("POST", "/v1/agents", {
    name: "Lighthouse",
    capabilities: ["test_math"],
  });
  const page = await studio.open(`/agents/${agent.id}`);
  await page.getByRole("button", { name: "Share", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Share Lighthouse" });
  await dialog.getByLabel("Who can use it").selectOption("shared");
  await dialog.getByRole("button", { name: "Add a person or group" }).click();
  await dialog.getByLabel("With").fill("user:ann@example.com");
  await dialog.getByLabel("approve").check();
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "detached" });
  expect((await call("GET", `/v1/agents/${agent.id}/shares`)).body).toEqual({
    access: "shared",
    shares: [{ with: "user:ann@example.com", rights: ["use", "approve"] }],
  });
  await page.getByRole("button", { name: "Share", exact: true }).click();
  await dialog.getByLabel("Who can use it").selectOption("private");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "detached" });
  expect((await call("GET", `/v1/agents/${agent.id}/shares`)).body).toEqual({
    access: "private",
    shares: [],
  });
});

test("nobody who is named wrongly gets anything: the reason is shown, and nothing is saved", async () => {
  const { body: agent } = await call("POST", "/v1/agents", { name: "Buoy", capabilities: ["test_math"] });
  const before = (await call("GET", `/v1/agents/${agent.id}/shares`)).body;
  const page = await studio.open(`/agents/${agent.id}`);
  await page.getByRole("button", { name: "Share", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Share Buoy" });
  await dialog.getByLabel("Who can use it").selectOption("shared");
  await dialog.getByRole("button", { name: "Add a person or group" }).click();
  await dialog.getByLabel("With").fill("ann");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.getByText(/must be user:<address> or group:<claim>=<value>/).waitFor();
  expect((await call("GET", `/v1/agents/${agent.id}/shares`)).body).toEqual(before);
});

test("a session is read by its link, and no longer after it was revoked", async () => {
  const { body: agent } = await call("POST", "/v1/agents", { name: "Pilot", capabilities: ["test_math"] });
  const { body: session } = await call("POST", "/v1/sessions", { agent_id: agent.id, title: "Tides today" });
  const page = await studio.open(`/sessions/${session.id}`);
  await page.getByRole("button", { name: "Share", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Share this session" });
  await dialog.getByRole("button", { name: "Create link" }).click();
  const url = await dialog.getByText(/\/shared#/).textContent();
  const { pathname, hash } = new URL(url ?? "");
  const stranger = await studio.open(`${pathname}${hash}`);
  await stranger.getByRole("heading", { name: "Tides today" }).waitFor();
  expect(await stranger.getByRole("textbox").count()).toBe(0);
  await dialog.getByRole("button", { name: "Revoke" }).click();
  await dialog.getByText("revoked").waitFor();
  await stranger.reload();
  await stranger
    .getByRole("alert")
    .getByText(/This link has expired/)
    .waitFor();
});
