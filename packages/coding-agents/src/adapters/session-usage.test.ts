import { expect, test } from "vitest";
import { openedRun } from "../fixtures/opened-run.ts";
import { codexUsage, copilotUsage, geminiUsage, type SessionUsage } from "./session-usage.ts";

/** Lines as the programs wrote them, without what nobody reads. */
const LINES = {
  gemini:
    '{"id":"c1a7","timestamp":"2026-11-16T05:51:16.932Z","type":"gemini","content":"I will","tokens":{"input":120,"output":20,"cached":40,"thoughts":10,"tool":0,"total":150},"model":"gemini-3.1-pro-preview"}',
  copilot:
    '{"type":"session.usage_record","data":{"usage":{"model":"gpt-5.4","inputTokens":120,"outputTokens":30,"cacheReadTokens":40,"cacheWriteTokens":0,"reasoningTokens":12,"cost":0.0}},"id":"9b02"}',
  codex:
    '{"timestamp":"2026-11-16T06:35:18.050Z","type":"token_usage_record","payload":{"response_id":"resp_1","usage":{"input_tokens":120,"cached_input_tokens":40,"cache_write_input_tokens":0,"output_tokens":30,"reasoning_output_tokens":0}}}',
};

test.each<[string, SessionUsage, string, object]>([
  [
    "gemini",
    geminiUsage,
    LINES.gemini,
    { inputTokens: 80, outputTokens: 30, cachedInputTokens: 40, thinkingTokens: 10 },
  ],
  [
    "copilot",
    copilotUsage,
    LINES.copilot,
    { inputTokens: 80, outputTokens: 30, cachedInputTokens: 40, thinkingTokens: 12 },
  ],
  ["codex", codexUsage, LINES.codex, { inputTokens: 80, outputTokens: 30, cachedInputTokens: 40 }],
])("a record of %s separates cached and thinking tokens", (_, usage, line, step) => {
  expect(usage.read(JSON.parse(line))?.step).toMatchObject(step);
  expect(usage.read({ type: "user" })).toBeUndefined();
});

test("thoughts that Gemini counts in the total only are counted", () => {
  const record = LINES.gemini.replace('"thoughts":10', '"thoughts":0');
  expect(geminiUsage.read(JSON.parse(record))?.step).toMatchObject({ outputTokens: 30, thinkingTokens: 10 });
});

test("a record written twice counts once, and only in the run's own session", () => {
  const { sideFiles: [sideFile] = [], onLine } = openedRun("gemini");
  const path = "/home/a/.gemini/tmp/work/chats/session-2026-11-16T05-51-f2beca58.jsonl";
  expect(sideFile?.isOurs(path)).toBe(false);
  onLine('{"jsonrpc":"2.0","id":1,"result":{"sessionId":"f2beca58-d2b4-4a82-b79f-5a74af9222c8"}}');
  expect(sideFile?.isOurs(path)).toBe(true);
  expect(sideFile?.onLine(LINES.gemini)).toHaveLength(1);
  expect(sideFile?.onLine(LINES.gemini)).toEqual([]);
});

test("later output does not replace the session's counts", () => {
  const { sideFiles: [sideFile] = [], onLine } = openedRun("codex", { transport: "exec", sessionId: "t1" });
  const completed = '{"type":"turn.completed","usage":{"input_tokens":999,"output_tokens":9}}';
  expect(onLine(completed).events.map(({ type }) => type)).toContain("usage");
  sideFile?.onLine(LINES.codex);
  expect(onLine(completed).events.map(({ type }) => type)).toEqual(["run-ended"]);
});

test("a session is looked for where the program was told to keep it", () => {
  const asked = { place: { environment: { COPILOT_HOME: "/elsewhere" } } };
  expect(openedRun("copilot", asked).sideFiles?.[0]?.pattern).toBe("/elsewhere/session-state/*/events.jsonl");
});
