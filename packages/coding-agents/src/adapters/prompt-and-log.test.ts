/** Prompts that Gemini would read as files or commands, and retries that Copilot only writes to its log. */
import { describe, expect, test } from "vitest";
import { openedRun } from "../fixtures/opened-run.ts";

describe("a prompt that Gemini's line stream would read as a file or a command", () => {
  const opened = (prompt: string, place: object = {}) =>
    openedRun("gemini", { prompt, sessionId: "s", place: { folder: "/run", ...place } });
  const commandOf = (prompt: string, place: object = {}) =>
    opened(prompt, place).files.find(({ path }) => path.endsWith("/commands/capstan-prompt.toml"));

  test.each([
    ["look at @x, please", 'prompt = "look at @x, please"'],
    ["/help me", 'prompt = "/help me"'],
    ['  "two"\n\tlines \\ of me@x  ', String.raw`prompt = "  \"two\"\n\tlines \\ of me@x  "`],
    ["\u007f@x", String.raw`prompt = "\u007f@x"`],
  ])("%j is the text of a command of the run's own", (prompt, line) => {
    expect(commandOf(prompt)).toMatchObject({ content: expect.stringContaining(`\n${line}\n`) });
    expect(opened(prompt).argv.at(-1)).toBe("--prompt=/capstan-prompt");
  });

  test("is never copied to the user's own commands", () => {
    const links = opened("@x").files.find(({ path }) => path.endsWith("/.gemini/commands"));
    expect(links).toMatchObject({ linksInto: expect.any(String), except: ["capstan-prompt.toml"] });
  });

  test.each(["run !{rm -rf /} @x", "read @{secret}", "{{args}} @x"])(
    "%j, which a command would run or read, is refused with the reason",
    (prompt) => expect(() => opened(prompt)).toThrow("reads @words as files"),
  );

  test("has its attachments before it, as parts of their own", () => {
    const attachments = [{ path: "/run/attachments/dot.png", mimeType: "image/png", data: "aa" }];
    expect(commandOf("what is @x", { attachments })).toMatchObject({
      content: expect.stringContaining('prompt = "@{/run/attachments/dot.png}what is @x"'),
    });
  });

  test("another prompt needs no command", () => {
    expect(commandOf("hello")).toBeUndefined();
    expect(opened("hello").input).toBe("hello");
  });
});

describe("a message that an agent would run as a command of its own", () => {
  const NOTE = { type: "text", text: expect.stringContaining("not a command") };
  /** A conversation up to its prompt, and whatever is sent next. */
  function prompts(agent: "copilot" | "gemini", text: string): unknown[] {
    const run = openedRun(agent, { prompt: text, approvalMode: "prompt" });
    const sent: { method?: string; params?: { prompt?: unknown } }[] = [];
    const write = (lines: readonly string[] = []) => {
      for (const line of lines) {
        sent.push(JSON.parse(line));
        run.onSent?.(line);
      }
    };
    const answer = (id: number, result: object) =>
      write(run.onLine(JSON.stringify({ jsonrpc: "2.0", id, result })).send);
    write(run.stdin);
    answer(0, {});
    answer(1, { sessionId: "s" });
    answer(2, { stopReason: "end_turn" });
    write(run.command?.({ type: "send", text })?.send);
    return sent.filter(({ method }) => method === "session/prompt").map(({ params }) => params?.prompt);
  }

  test.each([
    ["copilot", "/allow-all"],
    ["copilot", "  /compact now"],
    ["gemini", "/init"],
    ["gemini", "$init"],
  ] as const)("%s gets %j over ACP behind a note, as a prompt and as a later message", (agent, text) => {
    const message = [NOTE, { type: "text", text }];
    expect(prompts(agent, text)).toEqual([message, message]);
  });

  test("any other message goes alone", () => {
    const message = [{ type: "text", text: "a/b" }];
    expect(prompts("copilot", "a/b")).toEqual([message, message]);
  });

  test.each(["two lines\n\n", "a word "])(
    "%j keeps its end for Copilot, which trims, behind a note",
    (text) => {
      const kept = expect.stringMatching(/^(two lines\n\n|a word )\n\(The white space above is part/);
      expect(prompts("copilot", text)).toEqual([
        [{ type: "text", text: kept }],
        [{ type: "text", text: kept }],
      ]);
      expect(openedRun("copilot", { prompt: text, transport: "json" }).input).toEqual(kept);
      expect(prompts("gemini", text)[0]).toEqual([{ type: "text", text }]);
    },
  );

  test("is refused where Copilot's JSON lines would run it, and goes over ACP where nobody chose", () => {
    expect(() => openedRun("copilot", { prompt: "/compact now", transport: "json" })).toThrow("/compact");
    expect(openedRun("copilot", { prompt: "/compact now" }).argv).toContain("--acp");
  });
});

describe("Copilot over ACP", () => {
  /** Recorded from 1.0.102. */
  const LIMITED =
    '2026-11-16T12:51:37.360Z [WARNING] [rust:model_events::producer] Model provider request failed {"stage":"inference","api_endpoint":"/responses","http_status":429,"failure_kind":"http_error"}';

  test("tells from its log that a provider limits it, each time", () => {
    const { sideFiles = [], argv } = openedRun("copilot", {
      approvalMode: "prompt",
      place: { folder: "/run" },
    });
    expect(argv.join(" ")).toContain("--log-dir /run/logs");
    const log = sideFiles.find(({ pattern }) => pattern === "/run/logs/*.log");
    expect(log?.isOurs("/run/logs/process-1-2.log")).toBe(true);
    expect([LIMITED, LIMITED].flatMap((line) => log?.onLine(line))).toMatchObject([
      { type: "retry", status: 429, attempt: 1 },
      { type: "retry", status: 429, attempt: 2 },
    ]);
  });

  /** As announced over ACP. */
  const ANNOUNCED = JSON.stringify({
    jsonrpc: "2.0",
    method: "session/update",
    params: {
      sessionId: "s",
      update: {
        sessionUpdate: "agent_message_chunk",
        content: { type: "text", text: "Info: Request failed due to a transient API error. Retrying..." },
      },
    },
  });

  test.each([
    ["announced first", [true, false]],
    ["logged first", [false, true]],
  ])("tells why it tries again when another failure is %s", (_, order) => {
    const run = openedRun("copilot", { approvalMode: "prompt", place: { folder: "/run" } });
    const log = run.sideFiles?.find(({ pattern }) => pattern === "/run/logs/*.log");
    const told = order.flatMap((isAnnounced) =>
      isAnnounced ? run.onLine(ANNOUNCED).events : (log?.onLine(LIMITED.replace("429", "401")) ?? []),
    );
    expect(told).toMatchObject([{ type: "retry", status: 401 }]);
    expect(run.end?.({ code: 0, signal: null })).toEqual([]);
  });

  test("tells an announced failure without a reason where the log has none", () => {
    const run = openedRun("copilot", { approvalMode: "prompt", place: { folder: "/run" } });
    expect(run.onLine(ANNOUNCED).events).toEqual([]);
    expect(run.end?.({ code: 0, signal: null })).toMatchObject([{ type: "retry" }]);
  });

  test("does not tell other failures twice, which it announces itself", () => {
    const { sideFiles = [] } = openedRun("copilot", { approvalMode: "prompt", place: { folder: "/run" } });
    const lines = [
      LIMITED.replace("429", "500"),
      "2026 [INFO] Starting",
      "Model provider request failed {",
      "",
    ];
    expect(lines.flatMap((line) => sideFiles.flatMap((file) => file.onLine(line)))).toEqual([]);
  });
});
