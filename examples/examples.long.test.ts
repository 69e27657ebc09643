import { execFile, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bareEnvironment } from "../tools/bare-environment.ts";
import { launchBrowser } from "../tools/browser.ts";
import { freshPglite } from "../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../tools/test-server.ts";

const run = promisify(execFile);
const FOLDER = fileURLToPath(new URL(".", import.meta.url));

/** What each program prints when it works. A new example needs a row; without one this test names it. */
const PRINTS: Record<string, RegExp> = {
  "own-capability.ts": /roll \(auto\)[\s\S]*tokens per call/,
  "research-assistant.ts":
    /changed to current_time, web_fetch, session_file_system[\s\S]*in Tokyo:[\s\S]*read back: Research Assistant, active/,
  "declarative-capability.ts": /201 tides tide_times[\s\S]*in the catalog: Tides/,
  "compose-and-chat.ts":
    /11 tools, 0 hidden, \d+ tokens[\s\S]*2 \+ 40 = 42[\s\S]*in Tokyo[\s\S]*8 messages are kept/,
  "approve-with-edits.ts": /asked: multiply {"a":6,"b":70}[\s\S]*answer: 6 × 7 = 42\n/,
  "route-a-task.ts":
    /current_time: trigger:[\s\S]*Asia\/Tokyo[\s\S]*ok: {"timestamp"[\s\S]*goes to chat\.general/,
  "import-openapi.ts": /review: shop adds getItem[\s\S]*getItem: {"output":{"status":200,"body":{"id":"lamp"/,
  "capability-packages.ts": /wheel [\s\S]*"words":3[\s\S]*npm [\s\S]*"words":3/,
  "three-coding-agents.ts": /native: 2 \+ 40 = 42\nclaude: .+\ncodex: .+\ngemini: .+/,
  "real-time.ts":
    /trigger draft_ready[\s\S]*drafts: \[\{"id":"draft-1"[\s\S]*requires Mail\.Send[\s\S]*approved[\s\S]*tickets: \[\{"id":"T-12345"[\s\S]*Escalating to network team/,
};
const SUPPORT = new Set(["with-server.ts", "talk.ts"]);
const STAYS_OPEN = "ag-ui-page.ts";

let server: TestServer;
beforeAll(async () => {
  server = await testServer(await freshPglite(), { CAPSTAN_ALLOW_HOSTS: "127.0.0.1" });
});
afterAll(() => server.stop());

const environment = () => ({ ...bareEnvironment(), CAPSTAN_URL: server.url });

describe("the examples", () => {
  const files = readdirSync(FOLDER).filter(
    (name) => name.endsWith(".ts") && !name.endsWith(".test.ts") && !SUPPORT.has(name),
  );
  const programs = files.filter((name) => name !== STAYS_OPEN);

  test("each has a row here and a line in the README", () => {
    const readme = readFileSync(`${FOLDER}README.md`, "utf8");
    expect(programs.filter((name) => !PRINTS[name])).toEqual([]);
    expect([...files, "assistant-ui"].filter((name) => !readme.includes(`](${name})`))).toEqual([]);
  });

  test.each(programs)("%s runs and prints what it promises", async (name) => {
    const { stdout } = await run(process.execPath, [name], {
      cwd: FOLDER,
      timeout: 110_000,
      env: environment(),
    });
    expect(stdout).toMatch(PRINTS[name] ?? /./);
  });

  test("ag-ui-page.ts shows in a browser what the agent says and calls", async () => {
    const site = spawn(process.execPath, [STAYS_OPEN], { cwd: FOLDER, env: environment() });
    const browser = await launchBrowser();
    try {
      const url = await new Promise<string>((resolve) => {
        site.stdout.once("data", (bytes) => resolve(/http:\S+/.exec(String(bytes))?.[0] ?? ""));
      });
      const page = await browser.newPage();
      await page.goto(url);
      await page.getByRole("heading", { name: "Page helper" }).waitFor();
      for (const [text, answer] of [
        ["add 2 and 40", "42"],
        ["what time is it in Tokyo?", "in Tokyo"],
      ] as const) {
        await page.getByLabel("Message").fill(text);
        await page.getByRole("button", { name: "Send" }).click();
        await page.locator(".assistant", { hasText: answer }).waitFor();
      }
      expect(await page.locator(".tool").allInnerTexts()).toEqual(["calls add", "calls get_current_time"]);
    } finally {
      await browser.close();
      site.kill();
    }
  });
});
