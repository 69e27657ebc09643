import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";

const run = promisify(execFile);
const FOLDER = fileURLToPath(new URL(".", import.meta.url));

/** What each program prints when it works. A new example needs a row; without one this test names it. */
const PRINTS: Record<string, RegExp> = {
  "own-capability.ts": /roll \(auto\)[\s\S]*tokens per call/,
  "research-assistant.ts":
    /changed to current_time, web_fetch, session_file_system[\s\S]*in Tokyo:[\s\S]*read back: Research Assistant, active/,
  "declarative-capability.ts": /201 tides tide_times[\s\S]*in the catalog: Tides/,
  "real-time.ts":
    /trigger draft_ready[\s\S]*drafts: \[\{"id":"draft-1"[\s\S]*needs Mail\.Send[\s\S]*approved[\s\S]*tickets: \[\{"id":"T-12345"[\s\S]*Escalating to network team/,
};
const SUPPORT = new Set(["with-server.ts"]);

describe("the examples", () => {
  const programs = readdirSync(FOLDER).filter(
    (name) => name.endsWith(".ts") && !name.endsWith(".test.ts") && !SUPPORT.has(name),
  );

  test("each has a row here", () => {
    expect(programs.filter((name) => !PRINTS[name])).toEqual([]);
  });

  test.each(programs)("%s runs and prints what it promises", async (name) => {
    const { stdout } = await run(process.execPath, [name], {
      cwd: FOLDER,
      timeout: 60_000,
      env: { PATH: process.env.PATH ?? "" },
    });
    expect(stdout).toMatch(PRINTS[name] ?? /./);
  });
});
