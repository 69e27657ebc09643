import { describe, expect, test } from "vitest";
import type { CodingAgentCapabilities } from "./capabilities.ts";
import { CapabilityError, GATED_CAPABILITIES, runError } from "./capability-error.ts";
import { sampleCapabilities, sampleModel } from "./fixtures/sample-agent.ts";
import type { ModelCapabilities } from "./model.ts";
import type { RunOptions } from "./run-options.ts";
import { validateRun } from "./validate-run.ts";

type Change<T> = Partial<T>;
const options = (changes: Change<RunOptions> = {}): RunOptions => ({
  agent: "sample",
  prompt: "hi",
  ...changes,
});

function refusal(
  asked: Change<RunOptions>,
  agent: Change<CodingAgentCapabilities> = {},
  model: Change<ModelCapabilities> | null = null,
) {
  const result = validateRun(options(asked), sampleCapabilities(agent), model && sampleModel(model));
  if (result.ok) return null;
  const error = runError(result.failure);
  return error instanceof CapabilityError ? [error.capability, error.message] : [error.code, error.message];
}

const noThinking = { supportsThinking: false };
const IMAGE = [{ path: "/shot.PNG" }];
const FILE = [{ path: "/notes.txt" }];

describe("validateRun, section 8.4", () => {
  test.each<
    [
      string,
      Change<RunOptions>,
      Change<CodingAgentCapabilities>,
      Change<ModelCapabilities> | null,
      string,
      string,
    ]
  >([
    [
      "effort on an agent without thinking",
      { thinkingEffort: "low" },
      noThinking,
      null,
      "thinking",
      "Agent 'sample' does not support thinking/reasoning mode",
    ],
    [
      "effort on a model without thinking",
      { thinkingEffort: "low" },
      {},
      noThinking,
      "thinking",
      "Model 'sample-1' on agent 'sample' does not support thinking",
    ],
    [
      "a level the model does not list",
      { thinkingEffort: "max" },
      {},
      { thinkingEffortLevels: ["low", "medium", "high"] },
      "thinking",
      "Model 'sample-1' does not support thinking effort level 'max'",
    ],
    [
      "a level the agent does not list, no model given",
      { thinkingEffort: "max" },
      { thinkingEffortLevels: ["low"] },
      null,
      "thinking",
      "Agent 'sample' does not support thinking effort level 'max'",
    ],
    [
      "a budget on an agent without budgets",
      { thinkingBudgetTokens: 2048 },
      { supportsThinkingBudgetTokens: false },
      null,
      "thinkingBudget",
      "Agent 'sample' does not support numeric thinking budget",
    ],
    [
      "a budget on an agent without thinking",
      { thinkingBudgetTokens: 2048 },
      { ...noThinking, supportsThinkingBudgetTokens: false },
      null,
      "thinkingBudget",
      "Agent 'sample' does not support numeric thinking budget",
    ],
    [
      "a budget on a model without budgets",
      { thinkingBudgetTokens: 2048 },
      {},
      { supportsThinkingBudgetTokens: false },
      "thinkingBudget",
      "Agent 'sample' does not support numeric thinking budget",
    ],
    [
      "a budget on a model without thinking",
      { thinkingBudgetTokens: 2048 },
      {},
      noThinking,
      "thinking",
      "Model 'sample-1' on agent 'sample' does not support thinking",
    ],
    [
      "a budget below the model's range",
      { thinkingBudgetTokens: 1023 },
      {},
      { thinkingBudgetRange: [1024, 32_768] },
      "thinkingBudget",
      "Thinking budget 1023 is outside valid range [1024, 32768] for model 'sample-1'",
    ],
    [
      "a budget above the model's range",
      { thinkingBudgetTokens: 32_769 },
      {},
      { thinkingBudgetRange: [1024, 32_768] },
      "thinkingBudget",
      "Thinking budget 32769 is outside valid range [1024, 32768] for model 'sample-1'",
    ],
  ])("refuses %s", (_, asked, agent, model, capability, message) => {
    expect(refusal(asked, agent, model)).toEqual([capability, message]);
  });

  test.each([1024, 32_768])("takes a budget of %i at the end of the range", (thinkingBudgetTokens) => {
    expect(refusal({ thinkingBudgetTokens }, {}, { thinkingBudgetRange: [1024, 32_768] })).toBeNull();
  });
});

describe("validateRun, section 11", () => {
  const rows: [string, Change<RunOptions>, Change<CodingAgentCapabilities>, string][] = [
    ["jsonMode", { outputFormat: "json" }, { supportsJsonMode: false }, "JSON output mode"],
    ["resume", { sessionId: "s1" }, { canResume: false }, "resuming sessions"],
    ["fork", { forkSessionId: "s1" }, { canFork: false }, "forking sessions"],
    ["skills", { skills: ["/skills/tides"] }, { supportsSkills: false }, "skills"],
    ["mcp", { mcpServers: [{ name: "m", command: "m" }] }, { supportsMCP: false }, "MCP servers"],
    ["streaming", { stream: true }, { supportsTextStreaming: false }, "text streaming"],
    ["imageInput", { attachments: IMAGE }, { supportsImageInput: false }, "image input"],
    ["fileAttachments", { attachments: FILE }, { supportsFileAttachments: false }, "file attachments"],
    [
      "structuredOutput",
      { outputSchema: { type: "object" } },
      { supportsStructuredOutput: false },
      "structured output",
    ],
  ];

  test.each(rows)("refuses %s where the agent lacks it", (capability, asked, lack, what) => {
    expect(refusal(asked, lack)).toEqual([capability, `Agent 'sample' does not support ${what}`]);
  });

  test.each(rows)("allows %s where the agent has it", (_, asked) => {
    expect(refusal(asked)).toBeNull();
  });

  test.each(rows)("requires nothing of an agent without %s when it is not requested", (_, __, lack) => {
    expect(
      refusal({ stream: false, skills: [], mcpServers: [], attachments: [], outputFormat: "text" }, lack),
    ).toBeNull();
  });

  test("every gated capability has a row, except those that run() does not touch", () => {
    const covered = new Set([
      ...rows.map(([capability]) => capability),
      "thinking",
      "thinkingBudget",
      "plugins",
      "stdinInjection",
      "approvalEdits",
    ]);
    expect([...covered].sort()).toEqual([...GATED_CAPABILITIES].sort());
  });
});

describe("model level beats agent level", () => {
  test.each<[string, Change<RunOptions>, Change<CodingAgentCapabilities>, Change<ModelCapabilities>]>([
    [
      "thinking",
      { thinkingEffort: "low" },
      noThinking,
      { supportsThinking: true, thinkingEffortLevels: ["low"] },
    ],
    [
      "levels",
      { thinkingEffort: "max" },
      { thinkingEffortLevels: ["low"] },
      { thinkingEffortLevels: ["max"] },
    ],
    [
      "budgets",
      { thinkingBudgetTokens: 5 },
      { supportsThinkingBudgetTokens: false },
      { thinkingBudgetRange: [1, 9] },
    ],
    ["JSON mode", { outputFormat: "json" }, { supportsJsonMode: false }, { supportsJsonMode: true }],
    ["streaming", { stream: true }, { supportsTextStreaming: false }, { supportsTextStreaming: true }],
    ["images", { attachments: IMAGE }, { supportsImageInput: false }, { supportsImageInput: true }],
    ["files", { attachments: FILE }, { supportsFileAttachments: false }, { supportsFileInput: true }],
  ])("%s: it is enough that the model has it", (_, asked, agent, model) => {
    expect(refusal(asked, agent, model)).toBeNull();
  });

  test.each<[Change<RunOptions>, Change<ModelCapabilities>, string]>([
    [{ outputFormat: "json" }, { supportsJsonMode: false }, "JSON output mode"],
    [{ stream: true }, { supportsTextStreaming: false }, "text streaming"],
    [{ attachments: IMAGE }, { supportsImageInput: false }, "image input"],
    [{ attachments: FILE }, { supportsFileInput: false }, "file attachments"],
  ])("%j: a model that lacks it is named", (asked, model, what) => {
    expect(refusal(asked, {}, model)?.[1]).toBe(
      `Model 'sample-1' on agent 'sample' does not support ${what}`,
    );
  });

  test("what a probe found missing stays missing, whatever the model claims", () => {
    const observed = { supportsTextStreaming: false };
    const agent = { ...sampleCapabilities(observed), observed };
    const result = validateRun(
      options({ stream: true }),
      agent,
      sampleModel({ supportsTextStreaming: true }),
    );
    expect(result).toMatchObject({ ok: false, failure: { details: { capability: "streaming" } } });
  });
});

describe("stream: auto", () => {
  test("never refuses, and names what will arrive unstreamed", () => {
    const agent = sampleCapabilities({ supportsTextStreaming: false, supportsThinkingStreaming: false });
    const result = validateRun(options({ stream: "auto" }), agent, null);
    expect(result).toEqual({ ok: true, value: { streamFallback: ["text", "thinking"] } });
  });

  test("names nothing where everything streams", () => {
    const result = validateRun(options({ stream: "auto" }), sampleCapabilities(), null);
    expect(result).toEqual({ ok: true, value: { streamFallback: [] } });
  });
});

describe("attachments", () => {
  test.each([
    [{ path: "/a/b.jpeg" }, "imageInput"],
    [{ path: "/a/b", mimeType: "image/webp" }, "imageInput"],
    [{ data: "aGk=", mimeType: "image/png" }, "imageInput"],
    [{ path: "/a/b.png", mimeType: "application/pdf" }, "fileAttachments"],
    [{ path: "/a/png" }, "fileAttachments"],
    [{ data: "aGk=", mimeType: "text/plain" }, "fileAttachments"],
  ])("%j needs %s", (attachment, capability) => {
    const lacks = { supportsImageInput: false, supportsFileAttachments: false };
    expect(refusal({ attachments: [attachment] }, lacks)?.[0]).toBe(capability);
  });
});

describe("images that programs would lose without a word", () => {
  test.each([
    [{ data: "aGk=", mimeType: "image/bmp" }, "image/bmp"],
    [{ data: "aGk=", mimeType: "image/svg+xml" }, "image/svg+xml"],
    [{ path: "/a/b.tiff" }, ".tiff"],
  ])("%j is refused, by its type", (attachment, type) => {
    const [capability, message] = refusal({ attachments: [attachment] }, { supportsImageInput: true }) ?? [];
    expect([capability, message]).toEqual(["imageInput", expect.stringContaining(`of the type ${type}:`)]);
  });
});

describe("approval modes", () => {
  test("refuses an unsupported mode, because the next best would run tools without asking", () => {
    expect(refusal({ approvalMode: "prompt" }, { approvalModes: ["yolo", "deny"] })).toEqual([
      "approval_mode_unsupported",
      "Agent 'sample' has no approval mode 'prompt'",
    ]);
  });
});

test("CapabilityError carries the seed's code, the agent, the capability and a next step", () => {
  const result = validateRun(options({ sessionId: "s" }), sampleCapabilities({ canResume: false }), null);
  if (result.ok) throw new Error("was allowed");
  expect(runError(result.failure)).toMatchObject({
    name: "CapabilityError",
    code: "CAPABILITY_ERROR",
    agent: "sample",
    capability: "resume",
    nextStep: expect.stringContaining("capstan coding-agents"),
  });
});
