/** From the demo to a real model in the studio: a wrong key is told, a right one answers in the next chat. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ScriptedLlm, scriptedLlm } from "../../../../../tools/scripted-llm.ts";
import { type Studio, studioUnderTest } from "../../../../../tools/studio-under-test.ts";

let llm: ScriptedLlm;
let studio: Studio;

beforeAll(async () => {
  llm = await scriptedLlm(() => ({ status: 401, error: "Incorrect API key provided" }));
  studio = await studioUnderTest();
});
afterAll(async () => {
  await studio?.close();
  await llm?.close();
});

test("a provider is checked before it is saved; then its model is chosen, named in the chat, and answers", async () => {
  const page = await studio.open("/settings/models");
  await page.setViewportSize({ width: 1280, height: 700 });
  await page.getByText("No model found: the built-in demo answers").waitFor();
  await page.getByRole("button", { name: "Add server: OpenAI-compatible server" }).click();
  const form = page.getByRole("form", { name: /Set up/ });
  expect(await form.getByRole("button", { name: "Check and save" }).isDisabled()).toBe(true);
  await form.getByLabel("Address").fill(llm.baseUrl);
  await form.getByRole("button", { name: "Check and save" }).click();
  const reason = form.getByRole("alert").getByText(/refused the key.*Incorrect API key/);
  await reason.waitFor();
  const bottom = () => reason.evaluate((element) => element.getBoundingClientRect().bottom - innerHeight);
  await expect.poll(bottom, { message: "the failure is in view" }).toBeLessThan(0);
  expect((await studio.server.call("GET", "/v1/status")).body.model.demo).toBe(true);

  llm.script = () => ({ text: ["never"], until: new Promise(() => {}) });
  await form.getByRole("button", { name: "Check and save" }).click();
  await form.getByRole("button", { name: /^Asking/ }).waitFor();
  await form.getByRole("button", { name: "Cancel" }).click();
  await form.getByRole("button", { name: "Check and save" }).waitFor();
  expect(await form.getByRole("alert").count()).toBe(0);

  llm.script = () => ({ text: ["A real answer."] });
  await form.getByLabel("API key").fill("right");
  await form.getByRole("button", { name: "Check and save" }).click();
  const picker = page.getByRole("dialog", { name: /Choose the default model/ });
  await picker.getByRole("combobox").fill("large");
  await picker.getByRole("option", { name: /scripted-large/ }).click();
  await page.getByText("Chosen here").waitFor();

  await page.goto(`${studio.server.url}/`);
  await page.getByRole("button", { name: /First mate/ }).click();
  await page.getByRole("button", { name: /Model: openai-compatible\/\s*scripted-large/ }).waitFor();
  await page.getByRole("textbox", { name: "Message", exact: true }).fill("Hello there");
  await page.keyboard.press("Enter");
  await page.getByRole("article", { name: "Answer" }).getByText("A real answer.").waitFor();
  await page.locator("header").getByText("openai-compatible/scripted-large").waitFor();
  expect(await page.getByText("capstan/offline (demo)").count()).toBe(0);
  await page.getByRole("heading", { name: "Hello there" }).waitFor();
  expect(llm.requests.at(-1)?.model).toBe("scripted-large");
  expect(studio.faults).toEqual([]);
});
