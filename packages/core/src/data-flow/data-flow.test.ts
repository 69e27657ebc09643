import { describe, expect, test } from "vitest";
import { z } from "zod";
import { agentSpec } from "../agent.ts";
import { defineCapability } from "../capability.ts";
import { compose } from "../compose.ts";
import { CapabilityRegistry } from "../registry.ts";
import { ok } from "../result.ts";
import { zodSchema } from "../schema.ts";
import type { AnyTool } from "../tool.ts";
import { type DataFlow, type DeclaredFlow, flowOf } from "./data-flow.ts";
import { hintedFlow, scopedReads, takesAddress, withoutSharedWord } from "./usual-flow.ts";

describe("what a tool reads and writes", () => {
  const get = { method: "GET", path: "/" } as const;
  test.each<[string, DeclaredFlow, Partial<DataFlow>]>([
    ["what it declares", { reads: "private", writes: [] }, { reads: ["private"], writes: [] }],
    ["nothing declared: it may send something out", {}, { reads: [], writes: ["external"] }],
    ["a tool that only reads", { risk: "read" }, { reads: [], writes: [] }],
    ["a request without a credential", { endpoint: get }, { reads: ["untrusted"], writes: [] }],
    ["a request with one", { endpoint: get, usesSecrets: true }, { reads: ["private"], writes: [] }],
    [
      "a credential of the agent's config",
      { endpoint: get, usesSecrets: (config) => config === "key" },
      { reads: ["private"], usesSecrets: true },
    ],
    ["a POST", { endpoint: { method: "POST", path: "/" } }, { writes: ["external"] }],
    ["a DELETE", { endpoint: { method: "DELETE", path: "/" } }, { writes: ["external", "irreversible"] }],
    ["another agent", { subagent: { id: "a", name: "A" } }, { reads: [], writes: [] }],
  ])("%s", (_what, tool, flow) => {
    expect(flowOf(tool, "key")).toMatchObject(flow);
  });

  test.each([
    ["a hint that it only reads", "post_it", { readOnlyHint: true }, false, ["untrusted"], []],
    ["no hint, a name that reads", "listIssues", {}, false, ["untrusted"], []],
    ["no hint, another name", "create_issue", {}, false, ["untrusted"], ["external"]],
    ["no hint, a credential", "create_issue", {}, true, ["private"], ["external"]],
    [
      "an open world with a credential",
      "get_issue",
      { openWorldHint: true },
      true,
      ["untrusted", "private"],
      [],
    ],
    ["a closed world", "store", { openWorldHint: false }, false, ["private"], ["internal"]],
    ["destruction", "drop", { destructiveHint: true }, false, ["untrusted"], ["external", "irreversible"]],
    [
      "a reading name that destroys",
      "get_out",
      { destructiveHint: true },
      false,
      ["untrusted"],
      ["external", "irreversible"],
    ],
  ])("an MCP tool with %s", (_what, name, hints, usesSecrets, reads, writes) => {
    expect(hintedFlow(name, hints, usesSecrets)).toEqual({ reads, writes });
  });

  const both = ["untrusted", "private"];
  const out = ["external"];
  test.each<[string, string[], string[]]>([
    ["slack_get_channel_history", both, []],
    ["slack_get_users", ["private"], []],
    ["slack_post_message", ["private"], out],
    ["get_issue", both, []],
    ["get_file_contents", both, []],
    ["listPullRequests", both, []],
    ["search_repositories", ["private"], []],
    ["add_issue_comment", ["private"], out],
    ["brave_web_search", both, []],
    ["tavily_extract", both, []],
    ["API-retrieve-a-comment", both, []],
    ["query_postgres", ["private"], []],
    ["update_search", ["private"], out],
  ])("%s of a server with a credential and no hints", (name, reads, writes) => {
    const [own = ""] = withoutSharedWord([
      name,
      `${/^(slack|brave|tavily|API)/.exec(name)?.[0] ?? "other"}_x`,
    ]);
    expect(hintedFlow(own, {}, true)).toEqual({ reads, writes });
  });

  test.each([
    [
      ["slack_list", "slack_post"],
      ["list", "post"],
    ],
    [["get_issue"], ["get_issue"]],
    [
      ["get_weather", "get_news"],
      ["get_weather", "get_news"],
    ],
    [
      ["delete_search", "delete_list"],
      ["delete_search", "delete_list"],
    ],
  ])("of %j the own names are %j", (names, own) => {
    expect(withoutSharedWord(names)).toEqual(own);
  });

  test("a request with a credential brings in what others wrote, by its address", () => {
    const of = (method: "GET" | "POST", path: string) =>
      flowOf({ endpoint: { method, path }, usesSecrets: true }).reads;
    expect(of("GET", "/repos/{owner}/{repo}/issues/{number}")).toEqual(["private", "untrusted"]);
    expect(of("GET", "/v1/charges")).toEqual(["private"]);
    expect(of("POST", "/repos/{owner}/{repo}/issues")).toEqual(["private"]);
  });

  test.each([
    [{ url: {} }, true],
    [{ pageUrl: {} }, true],
    [{ urls: {} }, true],
    [{ query: {}, callback_id: {} }, false],
    [undefined, false],
  ])("a tool with the arguments %j reads an address of the model's choice: %s", (properties, takes) => {
    expect(takesAddress({ ...(properties && { properties }) })).toBe(takes);
  });

  test("a scope guards private data; that of mail brings in what others wrote", () => {
    expect(scopedReads([])).toEqual([]);
    expect(scopedReads(["Files.Read"])).toEqual(["private"]);
    expect(scopedReads(["Mail.Read"])).toEqual(["private", "untrusted"]);
  });
});

describe("composing an agent", () => {
  const tool = (name: string, flow: Pick<AnyTool, "reads" | "writes">): AnyTool => ({
    name,
    description: name,
    input: zodSchema(z.object({})),
    policy: "auto",
    scopes: [],
    timeoutMs: 1000,
    idempotent: false,
    requiresContext: false,
    ...flow,
    run: async () => ok(null),
  });
  const warnings = (tools: AnyTool[]) => {
    const registry = new CapabilityRegistry();
    registry.register(defineCapability({ id: "all", name: "All", description: "All.", tools }));
    const agent = compose(agentSpec({ name: "A", capabilities: [{ id: "all" }] }), registry, { scopes: [] });
    return agent.ok ? agent.value.warnings : [agent.failure.message];
  };
  const page = tool("read_page", { reads: "untrusted", writes: [] });
  const mail = tool("read_mail", { reads: ["private", "untrusted"], writes: [] });
  const post = tool("post", { writes: "external" });
  test("warns of what its tools could do together", () => {
    expect(warnings([page, mail])).toEqual([]);
    expect(warnings([page, post])).toEqual([
      "This agent reads untrusted content (read_page) and can send out (post). After untrusted content was read, sending out requires approval unless a rule allows it.",
    ]);
    expect(warnings([page, mail, post])).toEqual([
      "This agent reads untrusted content (read_page, read_mail) and private data (read_mail) and can send out (post). After both were read, sending out is refused unless a rule allows it.",
    ]);
  });
});
