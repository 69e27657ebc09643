/** Every screen: no axe issue of any weight, in light and dark and at phone width; small enough; fast with much data. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import AxeBuilder from "@axe-core/playwright";
import { defineCapability, type RunEvent } from "@capstan/core";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { builtStudio } from "../../../tools/browser.ts";
import { llmEnvironment, type ScriptedLlm, scriptedLlm, toolAnswered } from "../../../tools/scripted-llm.ts";
import { type Studio, studioUnderTest } from "../../../tools/studio-under-test.ts";

let llm: ScriptedLlm;
let studio: Studio;
let agentId: string;
let sessionId: string;
let consentPath: string;

beforeAll(async () => {
  llm = await scriptedLlm((request) =>
    toolAnswered(request)
      ? { text: ["Done: **fine**\n\n- a\n- b\n\n```ts\nconst a = 1;\n```"] }
      : {
          reasoning: ["Let me see."],
          text: ["I will."],
          calls: [
            { id: crypto.randomUUID(), name: "add", input: { a: 2, b: 40 } },
            { id: crypto.randomUUID(), name: "subtract", input: { a: 2, b: 40 } },
          ],
        },
  );
  studio = await studioUnderTest(llmEnvironment(llm));
  const made = await studio.server.call("POST", "/v1/agents", {
    name: "Mate",
    capabilities: ["test_math", "session_file_system", "stateless_todo_list"],
    tool_policies: { subtract: "approve" },
  });
  agentId = made.body.id;
  await studio.server.call("POST", "/v1/agents", {
    name: "The one with the long name",
    capabilities: ["current_time"],
    model: "openai-compatible/a-model-with-a-name-that-is-longer-than-a-phone-is-wide-instruct",
  });
  const session = await studio.server.call("POST", "/v1/sessions", { agent_id: agentId, title: "Sums" });
  sessionId = session.body.id;
  await studio.server.call("POST", `/v1/agents/${agentId}/tokens`, { name: "Claude" });
  consentPath = await clientAsks();
  await studio.server.call("PUT", "/v1/users/mate@example.com", { scopes: ["Mail.Read"] });
  await studio.server.call("POST", `/v1/sessions/${sessionId}/messages`, { content: "Add and subtract" });
  await vi.waitFor(async () => {
    expect((await studio.server.call("GET", "/v1/approvals")).body.items).toHaveLength(1);
  }, 30_000);
});
afterAll(async () => {
  await studio?.close();
  await llm?.close();
});

/** A client that registered asks to log in: what its browser opens. */
async function clientAsks(): Promise<string> {
  const redirect_uri = "http://127.0.0.1:9/callback"; // nothing listens there
  const client = { client_name: "Editor", redirect_uris: [redirect_uri] };
  const { body } = await studio.server.call("POST", "/register", client);
  const code_challenge = "x".repeat(43);
  const pkce = { code_challenge, code_challenge_method: "S256" };
  const query = { response_type: "code", client_id: body.client_id, redirect_uri, ...pkce };
  return `/authorize?${new URLSearchParams(query)}`;
}

/** Each screen, and what it shows once loaded. */
const SCREENS: [name: string, path: () => string, shown: string | RegExp][] = [
  ["home", () => "/", "Recent sessions"],
  ["a new chat", () => `/chat?agent=${agentId}`, "What should Mate do?"],
  ["a chat that waits for approval", () => `/chat/${sessionId}`, /Allow .*?\?/],
  ["the agents", () => "/agents", "Mate"],
  ["the composer", () => `/agents/${agentId}`, "Merged prompt"],
  ["the sessions", () => "/sessions", "Sums"],
  ["a session's trace", () => `/sessions/${sessionId}/trace`, "waiting"],
  ["a session's chat", () => `/sessions/${sessionId}/chat`, /Allow .*?\?/],
  ["a session's files", () => `/sessions/${sessionId}/files`, /Upload/],
  ["a session's events", () => `/sessions/${sessionId}/events`, "RUN_STARTED"],
  ["a session's state", () => `/sessions/${sessionId}/state`, "Shared state"],
  ["the usage", () => "/usage", /openai-compatible/],
  ["the approvals", () => "/approvals", /wants/],
  ["the rules", () => "/rules", "New rule"],
  ["the budgets", () => "/budgets", "New budget"],
  ["the experiments", () => "/experiments", "No experiments"],
  ["the datasets", () => "/experiments/datasets", "No datasets"],
  ["the monitors", () => "/experiments/live", "No monitors"],
  ["the review queue", () => "/experiments/review", "Nothing to review"],
  ["the memory", () => "/memories", "New fact"],
  ["the capabilities", () => "/capabilities", /\d capabilities$/],
  ["a capability", () => "/capabilities/test_math", "multiply"],
  ["the router", () => "/route", "Find match"],
  ["the coding agents", () => "/coding-agents", /Claude Code|not available/],
  ["the models of coding agents", () => "/coding-agents/models", "Thinking"],
  ["the packages", () => "/packages", /Install a package|not available/],
  ["the services", () => "/packages/services", /No background service|not available/],
  ["the triggers", () => "/packages/triggers", /No trigger|not available/],
  ["the schedules", () => "/schedules", /No schedules|not available/],
  ["the model settings", () => "/settings", /Anthropic|not available/],
  ["the API keys", () => "/settings/keys", "New key"],
  ["the tokens", () => "/settings/tokens", "Claude"],
  ["the logins", () => "/settings/logins", "No one is signed in"],
  ["connections", () => "/connections", "Connect an account"],
  ["a client that asks to log in", () => consentPath, "The agent it may act as"],
  ["the users", () => "/settings/users", "mate@example.com"],
  ["the audit log", () => "/settings/audit", "agent.created"],
  [
    "the server's facts and what it promises",
    () => "/settings/about",
    "packages are isolated from the server",
  ],
  ["a wrong address", () => "/packages/installed/elsewhere", "This page does not exist"],
  ["an address of nothing", () => "/nowhere", "This page does not exist"],
  ["the API's reference", () => "/docs", "Machine-readable"],
  ["a wrong tab", () => "/settings/nonsense", /Anthropic|not available/],
];

/** The same page in another look has the same structure, but other colours or another frame: that is looked at again. */
const LOOKS: { name: string; wear: (page: Page) => Promise<void>; rules: string[] }[] = [
  {
    name: "in light",
    wear: async (page) => {
      await page.setViewportSize({ width: 1280, height: 860 });
      await wear(page, "light");
    },
    rules: [],
  },
  { name: "in dark", wear: (page) => wear(page, "dark"), rules: ["color-contrast"] },
  {
    name: "on a phone",
    wear: (page) => page.setViewportSize({ width: 390, height: 780 }),
    rules: ["label", "button-name", "link-name", "scrollable-region-focusable"],
  },
];

/** Short words of which no line holds more than a letter or two: a column too narrow to be read. */
function wordsInPieces(): string[] {
  const found: string[] = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    if (text.parentElement?.closest(".sr-only, .hidden")) continue; // for screen readers
    for (const { 0: word, index } of text.textContent?.matchAll(/\p{L}{4,15}/gu) ?? []) {
      const range = document.createRange();
      range.setStart(text, index);
      range.setEnd(text, index + word.length);
      const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size;
      if (lines > 2) found.push(word);
    }
  }
  return found;
}

/** By how much the page, or a screen that scrolls by itself, is wider than what is seen of it. */
function widestOverflow(): number {
  const screens = [...document.querySelectorAll("main .overflow-y-auto")];
  const within = screens.map(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
  return Math.max(document.documentElement.scrollWidth - innerWidth, ...within);
}

async function wear(page: Page, colorScheme: "light" | "dark"): Promise<void> {
  await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
  // The API's reference has no theme of its own to wait for: it follows the system.
  await page.locator(`html[data-theme="${colorScheme}"], html:not([data-theme])`).waitFor();
}

test("a person allows a client one tool, and the browser carries the code back to it", async () => {
  const page = await studio.open(consentPath);
  await page.getByText("a program on your machine").waitFor();
  await page.getByLabel("Agent", { exact: true }).selectOption({ label: "Mate" });
  await page.getByLabel("Selected tools").check();
  await page.getByLabel("Allow add", { exact: true }).check();
  const left = page.waitForRequest(/127\.0\.0\.1:9\/callback/);
  await page.getByRole("button", { name: "Allow" }).click();
  const { searchParams } = new URL((await left).url());
  expect(searchParams.get("code")).toMatch(/^code_/);
  expect(searchParams.get("iss")).toBe(studio.server.url);
  const { rows } = await studio.server.services.database.pool.query("select scopes from client_logins");
  expect(rows).toEqual([{ scopes: ["tool:add"] }]);
  await page.context().close();
});

describe("axe finds nothing, and nothing is wider than the screen, in light, in dark and on a phone", () => {
  let page: Page; // one for all: what the studio is made of is loaded once
  beforeAll(async () => {
    page = await studio.open("/");
  });
  afterAll(() => page?.context().close());

  test.each(SCREENS)("%s", async (_name, path, shown) => {
    await page.goto(studio.server.url + path());
    await page.locator("main").getByText(shown).first().waitFor();
    for (const { name, wear, rules } of LOOKS) {
      await wear(page);
      const axe = new AxeBuilder({ page }).setLegacyMode(); // else it opens a page more for each look, for other origins' frames
      const { violations } = await (rules.length > 0 ? axe.withRules(rules) : axe).analyze();
      const faults = violations.map(({ id, nodes }) => [
        name,
        id,
        ...nodes.slice(0, 3).map(({ html }) => html),
      ]);
      expect(faults).toEqual([]);
      expect(await page.evaluate(widestOverflow)).toBeLessThanOrEqual(0);
      expect(await page.evaluate(wordsInPieces)).toEqual([]);
    }
    expect(studio.faults).toEqual([]);
  });
});

test("the first load of the chat is under 300 kB of gzipped JavaScript", async () => {
  const page = await studio.open("/nowhere");
  const loaded: string[] = [];
  page.on("response", (response) => {
    if (/\.js$/.test(new URL(response.url()).pathname)) loaded.push(new URL(response.url()).pathname);
  });
  await page.goto(`${studio.server.url}/chat/${sessionId}`);
  await page
    .locator("main")
    .getByText(/Allow .*?\?/)
    .waitFor();
  const dist = await builtStudio();
  const bytes = loaded.map((path) => gzipSync(readFileSync(join(dist, path))).byteLength);
  const total = bytes.reduce((sum, each) => sum + each, 0);
  expect(loaded.length).toBeGreaterThan(3);
  expect(total).toBeLessThan(300_000);
});

test("no single file of the studio exceeds 300 kB gzipped", async () => {
  const assets = join(await builtStudio(), "assets");
  const large = readdirSync(assets)
    .filter((name) => name.endsWith(".js"))
    .filter((name) => gzipSync(readFileSync(join(assets, name))).byteLength > 300_000);
  expect(large).toEqual([]);
});

describe("with much data", () => {
  test("a session of 10,000 events shows its end, its start and any event, with few of them in the DOM", async () => {
    const id = await longSession(10_000);
    const page = await studio.open(`/chat/${id}`);
    await page.getByText("the last word", { exact: true }).waitFor();
    expect(await page.getByRole("article").count()).toBeLessThan(60);
    await page.goto(`${studio.server.url}/sessions/${id}/events`);
    await page.getByText("10K events of 10K events").waitFor();
    const rows = page.getByRole("group", { name: "Events", exact: true }).locator("details");
    expect(await rows.count()).toBeLessThan(120);
    await page.getByLabel("Contains").fill("the last word");
    await page.getByText("1 event of").waitFor();
    expect(await rows.count()).toBe(1);
  });

  test("a thousand capabilities are searched while typing, with few of them in the DOM", async () => {
    const { registry } = studio.server.services;
    const made = Array.from({ length: 1_000 }, (_, index) =>
      defineCapability({
        id: `made_${index}`,
        name: `Made ${index}`,
        description: "One of many.",
        category: "Many",
      }),
    );
    for (const capability of made) registry.register(capability);
    const page = await studio.open("/capabilities");
    await page.getByText(/^1,0\d\d capabilities$/).waitFor();
    const cards = page.getByRole("list", { name: "Capabilities" }).getByRole("listitem");
    expect(await cards.count()).toBeLessThan(100);
    await page.getByLabel("Search", { exact: true }).fill("made 777");
    await page.getByText("1 capability", { exact: true }).waitFor();
    await page.getByRole("link", { name: /Made 777/ }).click();
    await page.getByRole("heading", { name: "Made 777" }).waitFor();
    for (const { id } of made) registry.remove(id);
    expect(studio.faults).toEqual([]);
  });
});

/** A session whose log is written straight into the store: turns of ten events each. */
async function longSession(count: number): Promise<string> {
  const session = await studio.server.call("POST", "/v1/sessions", { agent_id: agentId, title: "Long" });
  const threadId: string = session.body.id;
  const events: RunEvent[] = Array.from({ length: count / 10 }, (_, turn) =>
    turnEvents(threadId, turn, count / 10),
  ).flat();
  const { pool } = studio.server.services.database;
  for (let first = 0; first < count; first += 500) {
    const payload = JSON.stringify(events.slice(first, first + 500));
    await pool.query(
      "insert into events(session_id, first_seq, last_seq, run_id, payload) values ($1,$2,$3,$4,$5)",
      [...[threadId, first + 1, first + 500, threadId, payload]],
    );
  }
  return threadId;
}

function turnEvents(threadId: string, turn: number, turns: number): RunEvent[] {
  const runId = `run-${turn}`;
  const text = turn === turns - 1 ? "the last word" : `Turn ${turn} `;
  const messageId = `m-${turn}`;
  const toolCallId = `t-${turn}`;
  return [
    { type: "RUN_STARTED", threadId, runId },
    { type: "STEP_STARTED", stepName: "step-1" },
    { type: "TOOL_CALL_START", toolCallId, toolCallName: "add" },
    { type: "TOOL_CALL_ARGS", toolCallId, delta: '{"a":1,"b":2}' },
    { type: "TOOL_CALL_END", toolCallId },
    { type: "TOOL_CALL_RESULT", messageId: `${messageId}-r`, toolCallId, content: '{"result":3}' },
    { type: "TEXT_MESSAGE_START", messageId, role: "assistant" },
    { type: "TEXT_MESSAGE_CONTENT", messageId, delta: text },
    { type: "TEXT_MESSAGE_END", messageId },
    { type: "RUN_FINISHED", threadId, runId, outcome: { type: "success" } },
  ];
}
