import type { Agent } from "@capstan/client";
import { describe, expect, test } from "vitest";
import {
  BLANK_DRAFT,
  bodyOf,
  draftOf,
  flaggedBy,
  moved,
  patchOf,
  suggestedPrefix,
  toggled,
} from "./agent-draft.ts";

const SAVED = {
  id: "1",
  version: 3,
  status: "active",
  owner: "a@b.c",
  created_at: "",
  updated_at: "",
} as const;

describe("an agent being edited", () => {
  test("goes to the server and back unchanged", () => {
    const agent = {
      id: "1",
      version: 3,
      status: "active",
      owner: "a@b.c",
      created_at: "",
      updated_at: "",
      name: "Mate",
      description: "d",
      system_prompt: "p",
      fallback_models: [],
      model: "capstan/offline",
      thinking_effort: "high",
      thinking_budget: null,
      harness: "native",
      capabilities: ["test_math", { id: "web_fetch", prefix: "web_", config: { depth: 2 } }],
      granted_scopes: ["Mail.Read"],
      tool_policies: { add: "approve" },
      limits: { max_steps: 5 },
      compaction: { enabled: true, at: 0.8, keep: 0.3 },
      approval_expiry: { policy: "expire", after_seconds: 60 },
      may_request_scopes: true,
      on_disconnect: "continue",
      allow_native_tools: false,
      folder: null,
      provider: null,
      documentation_url: null,
      release: null,
      saves_as: "live",
      triggers_follow: null,
      metadata: {},
    } satisfies Agent;
    const { id, version, status, owner, created_at, updated_at, ...fields } = agent;
    expect(bodyOf(draftOf(agent))).toEqual(fields);
  });

  test("removes what was removed in the form: a limit, a policy", () => {
    const before = {
      limits: { max_steps: 5, max_tokens: 9 },
      tool_policies: { add: "deny", sub: "auto" },
    } as const;
    const agent: Agent = { ...SAVED, ...bodyOf(BLANK_DRAFT), ...before };
    const draft = { ...BLANK_DRAFT, limits: { max_steps: 6 }, tool_policies: { sub: "auto" as const } };
    expect(patchOf(agent, draft)).toMatchObject({
      limits: { max_steps: 6, max_tokens: null },
      tool_policies: { add: null, sub: "auto" },
    });
  });

  test("sends a capability whose options were emptied as its id alone", () => {
    const capabilities = [{ id: "a", prefix: "", config: {} }];
    expect(bodyOf({ ...BLANK_DRAFT, capabilities }).capabilities).toEqual(["a"]);
  });

  test("appends a capability that is switched on and takes out one that is switched off", () => {
    const on = toggled([{ id: "a" }], "b");
    expect(on).toEqual([{ id: "a" }, { id: "b" }]);
    expect(toggled(on, "a")).toEqual([{ id: "b" }]);
  });

  test.each([
    ["down", 0, 2, ["b", "c", "a"]],
    ["up", 2, 0, ["c", "a", "b"]],
    ["nowhere beyond the end", 2, 3, ["a", "b", "c"]],
    ["nowhere before the start", 0, -1, ["a", "b", "c"]],
  ])("moves a capability %s", (_, from, to, after) => {
    expect(moved(["a", "b", "c"], from, to)).toEqual(after);
  });

  test.each([
    [
      "tool_conflict",
      '"math" and "math_two" both define a tool named "add".',
      ["math", "math_two"],
      "conflict",
    ],
    ["capability_config_invalid", 'The config of "math" is not valid: colour', ["math"], "config"],
    ["model_unknown", 'There is no model "math".', [], undefined],
  ])("finds the capabilities named by the refusal %s", (code, message, ids, fault) => {
    const capabilities = [{ id: "math" }, { id: "math_two" }, { id: "ma" }];
    expect(flaggedBy({ code, message }, capabilities)).toEqual({ ids, fault });
  });

  test.each([
    ["test_weather", "weather_"],
    ["company.plan", "plan_"],
    ["noop", "noop_"],
  ])("suggests for %s the prefix %s", (id, prefix) => {
    expect(suggestedPrefix(id)).toBe(prefix);
  });
});
