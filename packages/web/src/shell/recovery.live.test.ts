/** The server dies under an open page and restarts: the page says so, waits, and recovers by itself. */
import { createServer } from "node:net";
import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { builtStudio, launchBrowser } from "../../../../tools/browser.ts";
import { llmEnvironment, type ScriptedLlm, scriptedLlm } from "../../../../tools/scripted-llm.ts";
import { type ServerProcess, serverProcess } from "../../../../tools/server-process.ts";
import { type FreshStore, freshPglite } from "../../../../tools/stores-under-test.ts";
import { watch } from "../../../../tools/studio-under-test.ts";

let browser: Browser;
let llm: ScriptedLlm;
let store: FreshStore;
let server: ServerProcess;
let start: () => Promise<ServerProcess>;

beforeAll(async () => {
  await builtStudio();
  llm = await scriptedLlm(() => ({ text: ["not asked for"] }));
  store = await freshPglite();
  const port = String(await freePort());
  start = () => serverProcess(store, { ...llmEnvironment(llm), PORT: port });
  [browser, server] = await Promise.all([launchBrowser(), start()]);
});
afterAll(async () => {
  await browser?.close();
  await server?.end();
  await llm?.close();
  await store?.drop();
});

test("a page continues where it was when the server is killed during an answer and restarted", async () => {
  const first = Promise.withResolvers<void>();
  let calls = 0;
  llm.script = () =>
    calls++ === 0
      ? { text: ["This is lost ", "for ever"], until: first.promise }
      : { text: ["This is ", "the whole answer"] };
  const made = await server.call("POST", "/v1/agents", { name: "Mate", capabilities: ["noop"] });
  const faults: string[] = [];
  const page = await (await browser.newContext()).newPage();
  watch(page, faults);
  await page.goto(`${server.url}/chat?agent=${made.body.id}`);
  await say(page, "Speak");
  await answer(page).getByText("This is lost").waitFor();

  await server.end("SIGKILL");
  first.resolve();
  await banner(page).getByText("Server offline.").waitFor();

  server = await start();
  await banner(page).getByText("Server offline.").waitFor({ state: "detached" });
  await answer(page).getByText("This is the whole answer").waitFor();
  expect(await answer(page).allTextContents()).toEqual(["This is the whole answer"]);
  expect(await page.getByRole("article", { name: "You" }).count()).toBe(1);

  llm.script = () => ({ text: ["And on."] });
  await say(page, "Go on");
  await answer(page).getByText("And on.").waitFor();
  expect(faults).toEqual([]);
});

const banner = (page: Page): Locator => page.getByRole("status").filter({ hasText: "server" });
const answer = (page: Page): Locator => page.getByRole("article", { name: "Answer" });

async function say(page: Page, text: string): Promise<void> {
  const box = page.getByRole("textbox", { name: "Message", exact: true });
  await box.fill(text);
  await box.press("Enter");
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
}
