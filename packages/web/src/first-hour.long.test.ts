/**
 * The first hour on a machine where a model server runs and Claude Code is logged in: what was found answers, a
 * provider that fails says why, and what happened can be seen, compared and exported. Both programs are simulated.
 */
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { lastUserText, type ScriptedLlm, scriptedLlm, toolAnswered } from "../../../tools/scripted-llm.ts";
import { type Studio, studioUnderTest } from "../../../tools/studio-under-test.ts";

let llm: ScriptedLlm;
let ollama: Server;
let home: string;
let studio: Studio;

beforeAll(async () => {
  llm = await scriptedLlm(() => ({ text: ["Found and used."] }));
  ollama = await startOllama(llm);
  home = claudeHome();
  const host = `127.0.0.1:${(ollama.address() as AddressInfo).port}`;
  const PATH = `${join(home, "bin")}:${dirname(process.execPath)}`;
  studio = await studioUnderTest(
    { CAPSTAN_FIND_MODELS: "on", CAPSTAN_HARNESS_AS_SERVER: "claude" }, // as root would: the login is its own
    { environment: { PATH, HOME: home, OLLAMA_HOST: host } },
  );
});
afterAll(async () => {
  await studio?.close();
  await llm?.close();
  ollama?.closeAllConnections();
  ollama?.close();
  if (home) rmSync(home, { recursive: true, force: true });
});
afterEach(() => {
  expect(studio.faults).toEqual([]);
});

describe("what is found on the machine answers without a key", () => {
  test("a local model server, named where one starts, in the chat's header and in its answer", async () => {
    const page = await studio.open("/");
    await page.getByText("llama3.2:3b answers and calls the tools.").waitFor();
    expect(await page.getByText("demo model").count()).toBe(0);
    await page.getByRole("button", { name: /First mate/ }).click();
    await say(page, "Hello");
    await answers(page).getByText("Found and used.").waitFor();
    await page.locator("header").getByText("ollama/llama3.2:3b").waitFor();
    await page.goto(`${studio.server.url}/settings/models`);
    const found = page.getByRole("region", { name: "Found on this machine" });
    await found
      .or(page.locator("section", { hasText: "Found on this machine" }))
      .first()
      .waitFor();
    await page.getByText("Claude Code").first().waitFor();
  });

  test("a coding agent that is logged in, by its own subscription", async () => {
    const agent = await agentWith({ harness: "claude", capabilities: [] });
    const page = await studio.open(`/chat?agent=${agent}`);
    await say(page, "Hello");
    await answers(page).getByText("Aye, from Claude Code.").waitFor();
  });
});

test("what is typed while a message is handed over is kept, and sent after it", async () => {
  llm.script = (request) => ({ text: [`Answer to ${lastUserText(request)}.`] });
  const page = await chatWith({});
  await say(page, "zero");
  await answers(page).getByText("Answer to zero.").waitFor();
  let handOver = () => {};
  const held = new Promise<void>((resolve) => {
    handOver = resolve;
  });
  await page.route("**/messages", async (route) => {
    if (route.request().method() === "POST") await held;
    await route.continue();
  });
  await say(page, "one");
  await say(page, "two");
  handOver();
  await answers(page).getByText("Answer to one.").waitFor();
  await answers(page).getByText("Answer to two.").waitFor();
});

test("what is typed before the palette is loaded is searched for, and is no shortcut of the page", async () => {
  const page = await studio.open("/approvals");
  await page.getByRole("heading", { name: "Approvals" }).waitFor();
  await page.keyboard.press("Control+k");
  await page.keyboard.type("usage");
  await expect.poll(() => page.getByRole("combobox").inputValue()).toBe("usage");
  await expect.poll(() => page.getByRole("option", { name: "New chat" }).count()).toBe(0);
  expect(new URL(page.url()).pathname).toBe("/approvals");
});

test("every screen of the navigation is found in the palette by its name", async () => {
  const page = await studio.open("/");
  const links = page.getByRole("navigation", { name: "Main" }).filter({ visible: true }).getByRole("link");
  const names = await links.evaluateAll((all) => all.map((link) => link.textContent?.trim() ?? ""));
  expect(names.length).toBeGreaterThan(10);
  await page.keyboard.press("Control+k");
  for (const name of names) {
    await page.getByRole("combobox").fill(name);
    await page.getByRole("group", { name: "Screens" }).getByRole("option", { name, exact: true }).waitFor();
  }
});

describe("a provider that fails", () => {
  test("with 429 is retried in one line that changes, and stays as a note", async () => {
    let refusals = 2;
    llm.script = () =>
      refusals-- > 0 ? { status: 429, error: "Too many requests" } : { text: ["Now it works."] };
    const page = await chatWith({});
    await say(page, "Hello");
    await answers(page).getByText("Now it works.").waitFor();
    expect(await page.getByText(/Too many requests\. Retried\./).count()).toBe(1);
    expect(await page.getByText(/Retrying in/).count()).toBe(0);
  });

  test("by hanging is stopped at once, and the next message is answered", async () => {
    llm.script = () => ({ text: ["I think ", "never"], until: new Promise(() => {}) });
    const page = await chatWith({});
    await say(page, "Hello");
    await answers(page).getByText("I think").waitFor();
    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByText("Stopped.").waitFor();
    llm.script = () => ({ text: ["Here again."] });
    await say(page, "And now?");
    await answers(page).getByText("Here again.").waitFor();
  });
});

describe("what happened is seen", () => {
  test("as a failed run with a badge, found by the filter; beside it one that succeeded, compared", async () => {
    llm.script = (request) =>
      /fail/.test(lastUserText(request)) ? { status: 400, error: "No such thing" } : { text: ["Fine."] };
    const page = await chatWith({ name: "Comparer" });
    await say(page, "Go well");
    await answers(page).getByText("Fine.").waitFor();
    await say(page, "Now fail");
    await page
      .getByRole("alert")
      .getByText(/No such thing/)
      .waitFor();
    await page.goto(`${studio.server.url}/`);
    await page.locator("main").getByText("Failed", { exact: true }).first().waitFor();
    await page.goto(`${studio.server.url}/sessions?status=failed`);
    await page
      .locator("main")
      .getByRole("listitem")
      .filter({ hasText: "Go well" })
      .getByRole("link", { name: /Details/ })
      .click();
    await page.getByLabel("Compare").selectOption({ index: 1 });
    const table = page.getByRole("table");
    await table.getByRole("columnheader", { name: /Go well/ }).waitFor();
    await table.getByRole("columnheader", { name: /Now fail/ }).waitFor();
  });

  test("as usage, exported as a table of the model calls", async () => {
    const page = await studio.open("/usage");
    const saved = page.waitForEvent("download");
    await page.getByRole("button", { name: "Export CSV" }).click();
    const stream = await (await saved).createReadStream();
    let csv = "";
    for await (const part of stream) csv += part;
    expect(csv).toMatch(/^[a-z_,]+\r?\n[\s\S]*llama3\.2:3b/);
  });
});

test("approvals are answered by keys: j and k move, e edits, Escape leaves the form, a approves, d denies", async () => {
  const sums = [1, 2, 3].map((a) => ({ id: `sum-${a}`, name: "add", input: { a, b: 40 } }));
  llm.script = (request) => (toolAnswered(request) ? { text: ["Done."] } : { calls: sums });
  const chat = await chatWith({ tool_policies: { add: "approve" } });
  await say(chat, "Sums");
  await chat
    .getByText(/Allow add\?/)
    .first()
    .waitFor();
  const page = await studio.open("/approvals");
  const cards = page.locator("[data-approval]");
  await expect.poll(() => cards.count()).toBe(3);
  const focused = () =>
    cards.evaluateAll((all) => all.findIndex((card) => card.contains(document.activeElement)));
  for (const [key, place] of [
    ["j", 0],
    ["j", 1],
    ["k", 0],
  ] as const) {
    await page.keyboard.press(key);
    expect(await focused()).toBe(place);
  }
  await page.keyboard.press("e");
  await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe("INPUT"); // typed into at once
  await page.keyboard.press("Escape");
  await expect.poll(() => page.getByRole("spinbutton").count()).toBe(0);
  await page.keyboard.press("j");
  await page.keyboard.press("a");
  await expect.poll(() => cards.count()).toBe(2);
  await page.keyboard.press("d");
  await page.keyboard.type("too much");
  await page.keyboard.press("Enter");
  await expect.poll(() => cards.count()).toBe(1);
});

test("the buttons of a long approval stay at the edge of its card, and nothing shows below them", async () => {
  const lines = Array.from({ length: 80 }, (_, line) => `print(${line})`);
  const input = { language: "python", code: lines.join("\n") };
  llm.script = () => ({ calls: [{ id: "program", name: "execute_code", input }] });
  const page = await chatWith({ capabilities: ["sandbox"], tool_policies: { execute_code: "approve" } });
  await say(page, "Run it");
  const approve = page.getByRole("button", { name: "Approve execute_code" });
  await approve.waitFor();
  const below = () =>
    approve.evaluate((button) => {
      const bar = button.parentElement as Element;
      const scrolled = bar.closest(".overflow-y-auto") as Element;
      return scrolled.getBoundingClientRect().bottom - bar.getBoundingClientRect().bottom;
    });
  await expect.poll(below).toBeLessThan(1);
  await page.getByRole("button", { name: "Edit arguments of execute_code" }).click();
  const code = page.getByRole("textbox", { name: /Code/ });
  expect(await code.evaluate((area) => getComputedStyle(area).fontFamily)).toMatch(/mono/i);
  expect((await code.boundingBox())?.height).toBeGreaterThan(200);
});

const answers = (page: Page): Locator => page.getByRole("article", { name: "Answer" });

async function say(page: Page, text: string): Promise<void> {
  const box = page.getByRole("textbox", { name: "Message", exact: true });
  await box.fill(text);
  await box.press("Enter");
}

async function agentWith(parts: object): Promise<string> {
  const body = { name: "Mate", capabilities: ["test_math"], ...parts };
  return (await studio.server.call("POST", "/v1/agents", body)).body.id;
}

const chatWith = async (parts: object): Promise<Page> => studio.open(`/chat?agent=${await agentWith(parts)}`);

/** Ollama's own routes for its list of models; its OpenAI-compatible ones are the scripted model's. */
async function startOllama(model: ScriptedLlm): Promise<Server> {
  const shown = { capabilities: ["completion", "tools"], model_info: { "llama.context_length": 131_072 } };
  const own: Record<string, object> = {
    "/api/tags": { models: [{ name: "llama3.2:3b" }] },
    "/api/show": shown,
    "/v1/models": { data: [{ id: "llama3.2:3b" }] },
  };
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy()); // the one who asked has gone
  });
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const path = request.url ?? "";
    const known = own[path];
    if (known || !path.startsWith("/v1/")) {
      response.writeHead(known ? 200 : 404, { "content-type": "application/json" });
      response.end(JSON.stringify(known ?? {}));
      return;
    }
    const url = model.baseUrl + path.slice("/v1".length);
    const reply = await fetch(url, { method: "POST", body: await textOf(request) });
    response.writeHead(reply.status, { "content-type": reply.headers.get("content-type") ?? "" });
    for await (const piece of reply.body ?? []) response.write(piece);
    response.end();
  };
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = "";
  for await (const part of request) text += part;
  return text;
}

/** A home with a login of Claude Code, and a program of that name that answers as it does. */
function claudeHome(): string {
  const folder = mkdtempSync(join(tmpdir(), "capstan-home-"));
  mkdirSync(join(folder, ".claude"));
  mkdirSync(join(folder, "bin"));
  writeFileSync(join(folder, ".claude/.credentials.json"), "{}");
  writeFileSync(join(folder, "bin/claude"), CLAUDE);
  chmodSync(join(folder, "bin/claude"), 0o755);
  return folder;
}

const CLAUDE = `#!/usr/bin/env node
if (process.argv.includes("--version")) { console.log("2.1.0 (Claude Code)"); process.exit(0); }
const say = (line) => console.log(JSON.stringify({ session_id: "11111111-1111-4111-8111-111111111111", ...line }));
say({ type: "system", subtype: "init", model: "claude-sonnet-4-5", tools: [], mcp_servers: [], cwd: process.cwd() });
const text = "Aye, from Claude Code.";
const usage = { input_tokens: 3, output_tokens: 5 };
say({ type: "assistant", message: { id: "m1", role: "assistant", model: "claude-sonnet-4-5", content: [{ type: "text", text }], usage } });
say({ type: "result", subtype: "success", is_error: false, num_turns: 1, duration_ms: 5, result: text, usage, total_cost_usd: 0 });
`;
