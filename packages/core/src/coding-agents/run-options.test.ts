import { describe, expect, test } from "vitest";
import { parseRemoteRunOptions, parseRunOptions } from "./run-options.ts";

const base = { agent: "claude", prompt: "hi" };

describe("parseRunOptions", () => {
  test("accepts every option of the contract unchanged", () => {
    const options = {
      ...base,
      model: "anthropic/claude-opus-5-5",
      stream: "auto",
      sessionId: "0199-aa",
      thinkingEffort: "max",
      thinkingBudgetTokens: 5000,
      thinkingOverride: { budget_tokens: 1, deep: { x: [true, null] } },
      outputFormat: "json",
      skills: ["/skills/tides"],
      mcpServers: [
        { name: "files", command: "mcp-files", args: ["-v"], env: { TOKEN: "x" } },
        { name: "web", url: "http://127.0.0.1:1/mcp", headers: { authorization: "Bearer x" } },
      ],
      attachments: [{ path: "/a.png" }, { data: "aGk=", mimeType: "image/png", name: "b.png" }],
      cwd: "/work",
      env: { A: "b" },
      approvalMode: "prompt",
      systemPrompt: "Be brief.",
      maxTurns: 3,
      maxCostUsd: 0.5,
      timeoutMs: 1000,
    };
    expect(parseRunOptions(options)).toEqual({ ok: true, value: options });
  });

  test.each(["sonnet[1m]", "openai/gpt-oss-20b:free"])("accepts the model %s", (model) => {
    expect(parseRunOptions({ ...base, model }).ok).toBe(true);
  });

  test("accepts forkSessionId in place of sessionId", () => {
    expect(parseRunOptions({ ...base, forkSessionId: "s1" }).ok).toBe(true);
  });

  test.each([
    [{ agent: "claude" }, "prompt"],
    [{ ...base, prompt: "" }, "prompt"],
    [{ ...base, prompt: "half \ud83d" }, "half a character"],
    [{ ...base, systemPrompt: "half \ude00" }, "half a character"],
    [{ ...base, agent: "../claude" }, "agent"],
    [{ ...base, model: "--yolo" }, "model"],
    [{ ...base, sessionId: "--last" }, "sessionId"],
    [{ ...base, sessionId: "a", forkSessionId: "b" }, "not both"],
    [{ ...base, thinkingEffort: "ultra" }, "thinkingEffort"],
    [{ ...base, thinkingBudgetTokens: 1.5 }, "thinkingBudgetTokens"],
    [{ ...base, mcpServers: [{ name: "x", url: "file:///etc/passwd" }] }, "mcpServers"],
    [{ ...base, mcpServers: [{ name: "x", url: "http://a", command: "b" }] }, "mcpServers"],
    [{ ...base, attachments: [{ data: "no base64!", mimeType: "a/b" }] }, "attachments"],
    [{ ...base, env: { "A=B": "c" } }, "env"],
    [{ ...base, maxTurns: 0 }, "maxTurns"],
    [{ ...base, maxcostusd: 1 }, "maxcostusd"],
    [null, "object"],
  ])("refuses %j and names %s", (input, where) => {
    const result = parseRunOptions(input);
    expect(result).toMatchObject({ ok: false, failure: { code: "input_invalid" } });
    expect(result.ok ? "" : result.failure.message).toContain(where);
  });
});

describe("parseRemoteRunOptions", () => {
  test("accepts what a remote caller may set", () => {
    expect(parseRemoteRunOptions({ ...base, maxTurns: 3 })).toMatchObject({
      ok: true,
      value: { maxTurns: 3 },
    });
  });

  test.each([
    ["cwd", { cwd: "/etc" }],
    ["env", { env: { PATH: "/evil" } }],
    ["cwd and env", { cwd: "/etc", env: {} }],
  ])("refuses %s, which the machine decides", (named, more) => {
    const parsed = parseRemoteRunOptions({ ...base, ...more });
    expect(!parsed.ok && parsed.failure.message).toContain(`${named}: decided by the machine`);
  });
});
