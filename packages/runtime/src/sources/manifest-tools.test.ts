import { type Manifest, readManifest } from "@capstan/core";
import { filterByScopes, isPath, readParameter } from "@capstan/core/internal";
import { describe, expect, test } from "vitest";
import { argumentVector } from "./argument-vector.ts";
import { type ManifestTool, manifestTools } from "./manifest-tools.ts";

describe("manifestTools", () => {
  test("binds required scopes to the provider of its connection", () => {
    const manifest = readManifest({
      name: "mailer",
      type: "cli",
      command: "aech-cli-mailer",
      description: "Mail.",
      required_scopes: ["Mail.Read"],
      connections: [{ provider: "microsoft" }, { provider: "github", scopes: ["repo"] }],
      actions: [{ name: "send", description: "Sends.", parameters: [], required_scopes: ["Mail.Send"] }],
    });
    if (!manifest.ok) throw new Error(manifest.failure.message);
    expect(manifestTools(manifest.value)[0]?.connections).toEqual([
      { provider: "microsoft", scopes: ["Mail.Read", "Mail.Send"] },
      { provider: "github", scopes: ["repo"] },
    ]);
  });

  test("names each action name_action", () => {
    expect(tool(["--x"], { name: "documents convert" }).name).toBe("demo_documents_convert");
    expect(tool(["--x"], { name: "list-drafts" }).name).toBe("demo_list-drafts");
  });

  test("turns the seed's strings into a schema: arguments are required, options are not", () => {
    expect(tool(["--param1", "arg1"]).input.jsonSchema).toEqual({
      type: "object",
      additionalProperties: false,
      required: ["arg1"],
      properties: {
        param1: { anyOf: [{ type: "string", maxLength: 100_000 }, { type: "number" }, { type: "boolean" }] },
        arg1: { type: "string", maxLength: 100_000 },
      },
    });
  });

  test("turns typed parameters into a schema with types, choices, defaults and descriptions", () => {
    const parameters = [
      { name: "input_path", type: "argument", required: true, description: "The file" },
      { name: "--limit", type: "integer", default: 10 },
      { name: "format", type: "option", choices: ["png", "md"] },
      { name: "deep", type: "flag" },
      { name: "tag", type: "option", multiple: true, choices: ["a"] },
    ];
    expect(tool(parameters).input.jsonSchema).toMatchObject({
      required: ["input_path"],
      properties: {
        input_path: { type: "string", description: "The file" },
        limit: { type: "integer", default: 10 },
        format: { enum: ["png", "md"] },
        deep: { type: "boolean" },
      },
    });
  });

  test.each([
    ["an option called a path", ["--output-dir"], "output_dir", { type: "string" }],
    ["a required option", [{ name: "to", type: "option", required: true }], "to", { type: "string" }],
    [
      "an option that may be a switch",
      [{ name: "deep", type: "option" }],
      "deep",
      { anyOf: expect.any(Array) },
    ],
    [
      "a switch by its description",
      [{ name: "overdue", type: "option", description: "Show only overdue commitments. Flag." }],
      "overdue",
      { type: "boolean" },
    ],
    ["a switch by its name", [{ name: "force", type: "option" }], "force", { type: "boolean" }],
  ])("gives %s its only sensible type", (_, parameters, key, expected) => {
    expect(tool(parameters).input.jsonSchema).toMatchObject({ properties: { [key]: expected } });
  });

  test("a folder for results that must be given is the session's own by default", () => {
    const schema = tool([
      { name: "output-dir", type: "option", required: true },
      { name: "input_dir", type: "argument", required: true },
    ]).input.jsonSchema;
    expect(schema.properties).toMatchObject({ output_dir: { default: "." } });
    expect(schema.properties).not.toMatchObject({ input_dir: { default: expect.anything() } });
  });

  test("refuses input outside the schema", () => {
    expect(tool(["arg1"]).input.parse({ arg1: "x", other: 1 })).toMatchObject({ ok: false });
    expect(tool(["arg1"]).input.parse({})).toMatchObject({ ok: false });
  });

  test.each([
    ["30 s for a query", ["--filter", "--json"], {}, 30_000],
    ["120 s when a parameter is called a path", ["input_file"], {}, 120_000],
    ["120 s for an output folder", ["--output-dir"], {}, 120_000],
    ["120 s for a parameter typed as a path", [{ name: "x", type: "path" }], {}, 120_000],
    ["30 s for a switch whose name sounds like a file", [{ name: "to-file", type: "flag" }], {}, 30_000],
    ["what the action declares", ["input_file"], { timeout_seconds: 7 }, 7000],
  ])("gives %s", (_, parameters, change, timeoutMs) => {
    expect(tool(parameters, change).timeoutMs).toBe(timeoutMs);
  });

  test("requests JSON when it is listed, and does not offer the choice", () => {
    const listed = tool(["--json", "query"]);
    expect(listed.input.jsonSchema).toMatchObject({ properties: { query: {} } });
    expect(Object.keys(listed.input.jsonSchema.properties as object)).toEqual(["query"]);
    expect(vector(listed, { query: "x" })).toEqual(["go", "--json", "x"]);
  });
});

describe("argumentVector", () => {
  test.each([
    [
      "options and arguments",
      ["--format", "file"],
      { format: "png", file: "a b.pdf" },
      ["go", "--format", "png", "a b.pdf"],
    ],
    ["a switch that is on", ["--deep"], { deep: true }, ["go", "--deep"]],
    ["a switch that is off", ["--deep"], { deep: false }, ["go"]],
    ["numbers", ["--limit"], { limit: 5 }, ["go", "--limit", "5"]],
    ["what is left out", ["--limit", "[name]"], {}, ["go"]],
    ["an empty value", ["--note"], { note: "" }, ["go", "--note="]],
    [
      "repeated options",
      [{ name: "--tag", type: "string", multiple: true }],
      { tag: ["a", "b"] },
      ["go", "--tag", "a", "--tag", "b"],
    ],
    ["many arguments", ["files..."], { files: ["a", "b"] }, ["go", "a", "b"]],
    [
      "shell syntax, unchanged",
      ["query"],
      { query: "$(id); `id` > x | y & z" },
      ["go", "$(id); `id` > x | y & z"],
    ],
    [
      "an argument that looks like an option, after --",
      ["id"],
      { id: "--delete-all" },
      ["go", "--", "--delete-all"],
    ],
    ["a value that looks like an option, bound to its own", ["--x"], { x: "--force" }, ["go", "--x=--force"]],
    ["a negative number", [{ name: "--by", type: "integer" }], { by: -1 }, ["go", "--by=-1"]],
  ])("passes %s", (_, parameters, input, expected) => {
    expect(vector(tool(parameters), input)).toEqual(expected);
  });

  test("splits a grouped subcommand into its words", () => {
    expect(vector(tool([], { name: "documents convert" }), {})).toEqual(["documents", "convert"]);
  });

  test("an option of several values does not take the arguments behind it", () => {
    const parameters = ["[input...]", { name: "--output", type: "string", multiple: true }, "--pretty"];
    const input = { input: "a.svg", output: "b.svg" };
    expect(argumentVector(tool(parameters), input)).toMatchObject({
      value: expect.arrayContaining(["--output", "b.svg", "--", "a.svg"]),
    });
    expect(argumentVector(tool(parameters), { ...input, pretty: true })).toMatchObject({
      value: expect.not.arrayContaining(["--"]),
    });
  });

  test.each([
    ["a NUL character", ["a"], { a: "x\0y" }],
    ["a later argument without the earlier", ["[a]", "[b]"], { b: "x" }],
    [
      "more than the system allows",
      ["files..."],
      { files: Array.from({ length: 20 }, () => "x".repeat(90_000)) },
    ],
  ])("refuses %s", (_, parameters, input) => {
    expect(argumentVector(tool(parameters), input)).toMatchObject({
      ok: false,
      failure: { code: "tool_input_invalid" },
    });
  });
});

describe("filterByScopes", () => {
  const inbox = manifest({
    required_scopes: ["Mail.Read"],
    actions: [
      { name: "read-drafts", description: "Reads", parameters: [], required_scopes: ["Mail.Read"] },
      { name: "send-draft", description: "Sends", parameters: [], required_scopes: ["Mail.Send"] },
      { name: "status", description: "Says how it is", parameters: [] },
    ],
  });
  const visible = (granted: string[]) =>
    filterByScopes(inbox, granted).manifest?.actions.map(({ name }) => name);

  test.each([
    [
      ["Mail.Read", "Mail.Send"],
      ["read-drafts", "send-draft", "status"],
    ],
    [["Mail.Read"], ["read-drafts", "status"]],
    [["*"], ["read-drafts", "send-draft", "status"]],
    [["Mail.Send"], undefined],
    [[], undefined],
  ])("with %j granted leaves %j", (granted, actions) => {
    expect(visible(granted)).toEqual(actions);
  });

  test("requires all capability scopes, not some", () => {
    const both = manifest({ required_scopes: ["Mail.Read", "Mail.Send"] });
    expect(filterByScopes(both, ["Mail.Read"])).toEqual({
      manifest: undefined,
      hidden: [{ missing: ["Mail.Send"] }],
    });
  });

  test("names the scope that hides each action", () => {
    expect(filterByScopes(inbox, ["Mail.Read"]).hidden).toEqual([
      { action: "send-draft", missing: ["Mail.Send"] },
    ]);
  });
});

function manifest(change: object): Manifest {
  const read = readManifest({
    name: "demo",
    type: "cli",
    command: "aech-cli-demo",
    description: "A demo",
    actions: [{ name: "go", description: "Goes", parameters: [] }],
    ...change,
  });
  if (!read.ok) throw new Error(read.failure.message);
  return read.value;
}

function tool(parameters: unknown[], change: object = {}): ManifestTool {
  const [first] = manifestTools(
    manifest({ actions: [{ name: "go", description: "Goes", parameters, ...change }] }),
  );
  if (!first) throw new Error("no tool");
  return first;
}

function vector(from: ManifestTool, input: Record<string, unknown>): string[] {
  const built = argumentVector(from, input);
  if (!built.ok) throw new Error(built.failure.message);
  return built.value;
}

test.each([
  ["Path to original DOCX (baseline version).", true],
  ["Output JSON file path. If omitted, prints to stdout.", true],
  ["Output path for redlined DOCX with Track Changes.", true],
  ["Directory where output image will be written.", true],
  ["Template file for styling.", true],
  ["Output format. Values: png, svg, pdf.", false],
  ["Number of files to list.", false],
  ["Target language as ISO 639-1 code.", false],
  ["File format of the result.", false],
  ["Name of the deal for attribution.", false],
])("an option that is described as %j is a session path: %j", (description, expected) => {
  expect(isPath(readParameter({ name: "x", type: "option", description }))).toBe(expected);
  expect(isPath(readParameter({ name: "x", type: "argument", description }))).toBe(expected);
});

test.each([
  [{ name: "x", type: "option" as const, format: "file-path" }, true],
  [{ name: "x", type: "option" as const, default: "./out" }, true],
  [{ name: "x", type: "option" as const, default: "report.pdf" }, true],
  [{ name: "x", type: "option" as const, default: "1.5" }, false],
  [{ name: "x", type: "option" as const, choices: ["a.md", "b.md"], description: "Path to it." }, false],
])("%j is a session path: %j", (parameter, expected) => {
  expect(isPath(readParameter(parameter))).toBe(expected);
});
