import { describe, expect, test } from "vitest";
import { pieces } from "./sim-frames.ts";
import { SIM_ANSWER, SIM_THINKING, simPlan } from "./sim-plan.ts";
import { readSimRequest, type SimProtocol } from "./sim-request.ts";

const bash = {
  name: "Bash",
  input_schema: { properties: { command: { type: "string" } }, required: ["command"] },
};
const user = (content: unknown) => ({ role: "user", content });
const messages = (list: unknown[], more: object = {}) =>
  readSimRequest("messages", "/v1/messages", {}, { messages: list, ...more });

describe("reading a request", () => {
  test("takes the marker of the last scripted user message, not of one before it", () => {
    const { marker } = messages([
      user("[[tool]] a"),
      user([{ type: "text", text: "[[think]] b" }]),
      user("plain"),
    ]);
    expect(marker).toBe("think");
  });

  test("ignores a marker that a tool's result quotes", () => {
    const result = user([{ type: "tool_result", tool_use_id: "t", content: "[[err500]]" }]);
    expect(messages([user("[[tool]]"), result])).toMatchObject({ marker: "tool", isToolDone: true });
  });

  test("sees a result behind which the agent put more", () => {
    const result = user([{ type: "tool_result", tool_use_id: "t", content: "ok" }]);
    expect(messages([user("[[tool]]"), result, user("reminder")]).isToolDone).toBe(true);
    expect(messages([user("[[text]]"), result, user("[[tool]] again")]).isToolDone).toBe(false);
  });

  test.each<[SimProtocol, string, object, object]>([
    [
      "messages",
      "/v1/messages",
      { thinking: { type: "adaptive" }, output_config: { effort: "high" } },
      { output_config: { effort: "high" } },
    ],
    ["responses", "/v1/responses", { reasoning: { effort: "max" } }, { reasoning: { effort: "max" } }],
    ["chat", "/v1/chat/completions", { reasoning_effort: "low" }, { reasoning_effort: "low" }],
    [
      "gemini",
      "/v1beta/models/g:streamGenerateContent",
      { generationConfig: { thinkingConfig: { thinkingBudget: 5 } } },
      { thinkingConfig: { thinkingBudget: 5 } },
    ],
  ])("keeps how %s asked for thinking", (protocol, path, body, wire) => {
    expect(readSimRequest(protocol, path, {}, { ...body }).wire).toMatchObject(wire);
  });

  test("finds tools in all the places where agents put them", () => {
    const names = (protocol: SimProtocol, body: Record<string, unknown>) =>
      readSimRequest(protocol, "/", {}, body).tools.map(({ name }) => name);
    expect(names("messages", { tools: [bash] })).toEqual(["Bash"]);
    expect(
      names("chat", { tools: [{ type: "function", function: { name: "bash", parameters: {} } }] }),
    ).toEqual(["bash"]);
    expect(names("gemini", { tools: [{ functionDeclarations: [{ name: "run_shell_command" }] }] })).toEqual([
      "run_shell_command",
    ]);
    const item = {
      type: "additional_tools",
      tools: [{ type: "namespace", name: "functions", tools: [{ type: "custom", name: "exec" }] }],
    };
    expect(names("responses", { input: [item] })).toEqual(["exec"]);
  });

  test("looks for a tool that is not offered yet, then calls what the search found", () => {
    const user = { role: "user", content: '[[call add {"a":1}]]' };
    const search = { type: "tool_search", execution: "client" };
    const found = { type: "tool_search_output", tools: [{ type: "function", name: "add" }] };
    const toolOf = (...input: object[]) => {
      const plan = simPlan(readSimRequest("responses", "/", {}, { tools: [search], input }));
      return plan.kind === "answer" ? plan.call?.tool.name : undefined;
    };
    expect(toolOf(user)).toBe("tool_search");
    expect(toolOf(user, found)).toBe("add");
    expect(toolOf(user, found, { type: "function_call_output", output: "1" })).toBeUndefined();
  });
});

test("an answer is not cut within a character", () => {
  expect(pieces("1234567🎉90", 8)).toEqual(["1234567🎉", "90"]);
});

describe("the plan", () => {
  test.each([
    ["[[text]]", { text: SIM_ANSWER, thinking: null, call: null, isSlow: false }],
    ["[[think]]", { text: SIM_ANSWER, thinking: SIM_THINKING, call: null }],
    ["[[tool]]", { call: { input: { command: "echo sim-tool-ok" } } }],
    ["[[write]]", { call: { input: { command: "touch sim-made.txt && echo made" } } }],
    ["[[fail]]", { call: { input: { command: "ls /nonexistent-dir-sim" } } }],
    ["[[toolthink]]", { thinking: SIM_THINKING, call: { input: { command: "echo sim-tool-ok" } } }],
    ["[[slow]]", { isSlow: true }],
    ['[[call Bash {"command":"id"}]]', { call: { input: { command: "id" } } }],
    ["[[err401]]", { kind: "error", status: 401 }],
    ["[[err500]]", { kind: "error", status: 500 }],
    ["no marker", { text: SIM_ANSWER, call: null }],
  ])("of %s", (prompt, expected) => {
    expect(simPlan(messages([user(prompt)], { tools: [bash] }))).toMatchObject(expected);
  });

  test("calls a tool once, then answers", () => {
    const result = user([{ type: "tool_result", tool_use_id: "t", content: "sim-tool-ok" }]);
    expect(simPlan(messages([user("[[tool]]"), result], { tools: [bash] }))).toMatchObject({
      call: null,
      text: SIM_ANSWER,
    });
  });

  test("finds a tool behind the prefix that a CLI puts before MCP names", () => {
    const tools = [{ name: "mcp__capstan__web_fetch", input_schema: {} }];
    const plan = simPlan(messages([user('[[call web_fetch {"url":"x"}]]')], { tools }));
    expect(plan).toMatchObject({ call: { tool: { name: "mcp__capstan__web_fetch" }, input: { url: "x" } } });
  });

  test("follows a script of the test's own", () => {
    const request = messages([user("[[text]]")]);
    expect(simPlan(request, () => "err429")).toMatchObject({ status: 429 });
  });
});
