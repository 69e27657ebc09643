import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { typeCommand } from "../../../../tools/command-under-test.ts";
import { freshPglite } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";

let server: TestServer;
let folder: string;

beforeAll(async () => {
  server = await testServer(await freshPglite());
});
afterAll(() => server.stop());
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "capstan-apply-"));
  const { body } = await server.call("GET", "/v1/agents");
  for (const { id } of body.items) await server.call("DELETE", `/v1/agents/${id}`);
  return () => rm(folder, { recursive: true, force: true });
});

const capstan = (args: string[], answers: string[] = []) =>
  typeCommand(server.url, args, answers.length > 0 ? { answers } : {});
const write = async (path: string, text: string) => {
  const target = join(folder, path);
  await mkdir(join(target, ".."), { recursive: true });
  await writeFile(target, text);
  return target;
};
const changes = async (...args: string[]) => JSON.parse((await capstan(["apply", ...args, "--json"])).out);

const TEAM = `name: Lead
description: Leads.
system_prompt: |
  You lead.
  Be brief.
capabilities:
  - test_math
  - id: web_fetch
    prefix: page_
  - agent: Worker
tool_policies:
  add: approve
limits:
  max_steps: 7
approval_expiry:
  policy: escalate
  after_seconds: 60
  to: boss@example.com
metadata:
  team: blue
---
name: Worker
capabilities: [session_file_system]
`;

describe("capstan apply", () => {
  test("creates missing agents, those that others list first, and then finds no difference", async () => {
    const path = await write("team.yaml", TEAM);
    const first = await changes(path, "--yes");
    expect(first.applied).toBe(true);
    expect(first.changes.map(({ action, name }: never) => [action, name])).toEqual([
      ["create", "Worker"],
      ["create", "Lead"],
    ]);
    const again = await changes(path, "--yes");
    expect(again).toMatchObject({ applied: false, changes: [{ action: "none" }, { action: "none" }] });
    const lead = await server.call("GET", `/v1/agents/${first.changes[1].id}`);
    expect(lead.body).toMatchObject({
      capabilities: ["test_math", { id: "web_fetch", prefix: "page_" }, `agent.${first.changes[0].id}`],
      limits: { max_steps: 7 },
      version: 1,
    });
  });

  test("shows the difference and asks; only a yes changes anything", async () => {
    const path = await write("team.yaml", TEAM);
    await changes(path, "--yes");
    await write("team.yaml", TEAM.replace("Be brief.", "Be kind.").replace("max_steps: 7", "max_steps: 9"));
    const no = await capstan(["apply", path], ["n"]);
    expect(no.code).toBe(1);
    expect(no.err).toContain("Nothing was applied");
    expect(no.out).toContain("~ Lead");
    expect(no.out).toContain("      - Be brief.\n      + Be kind.\n");
    expect(no.out).not.toContain("You lead.");
    expect(no.out).toContain('limits: {"max_steps":7} -> {"max_steps":9}');
    expect((await capstan(["apply", path])).code).toBe(1);
    expect((await capstan(["apply", path, "--dry-run"])).out).toContain("Nothing was applied.");
    const yes = await capstan(["apply", path], ["y"]);
    expect(yes.out).toContain("Changed Lead, now v2");
    expect((await capstan(["apply", path])).out).toContain("Nothing to do.");
  });

  test("removes what a file no longer contains", async () => {
    const path = await write("a.yaml", "name: A\ndescription: old\n");
    await changes(path, "--yes");
    await write("a.yaml", "name: A\n");
    expect((await changes(path, "--yes")).changes[0].differences).toEqual([
      { field: "description", before: "old", after: "" },
    ]);
  });

  test("reads TypeScript, JSON and YAML of a folder, and leaves other agents alone", async () => {
    await server.call("POST", "/v1/agents", { name: "Bystander" });
    await write("one.ts", `const name: string = "One";\nexport default { name, capabilities: ["noop"] };\n`);
    await write("part.ts", "export const only = 1;\n");
    await write("deeper/two.json", JSON.stringify([{ name: "Two" }, { name: "Three" }]));
    await write("deeper/four.yml", "name: Four\n");
    await write("node_modules/x.json", "{}");
    const { changes: made } = await changes(folder, "--yes");
    expect(made.map(({ name }: { name: string }) => name).sort()).toEqual(["Four", "One", "Three", "Two"]);
    expect((await server.call("GET", "/v1/agents")).body.total).toBe(5);
  });

  test("renames an agent whose id is in the file", async () => {
    const { body } = await server.call("POST", "/v1/agents", { name: "Before" });
    const path = await write("a.yaml", `id: ${body.id}\nname: After\n`);
    expect((await changes(path, "--yes")).changes).toMatchObject([{ action: "update", id: body.id }]);
  });

  test.each<[string, string, string]>([
    ["an unknown field", "name: A\nprompt: x\n", "prompt"],
    ["broken YAML", "name: [", "a.yaml"],
    ["an unknown capability", "name: A\ncapabilities: [nope]\n", 'no capability "nope"'],
    ["an unknown agent", "name: A\ncapabilities: [{ agent: B }]\n", 'no agent "B"'],
    [
      "a cycle",
      "name: A\ncapabilities: [{ agent: B }]\n---\nname: B\ncapabilities: [{ agent: A }]\n",
      "cycle",
    ],
    ["one agent twice", "name: A\n---\nname: A\n", "both describe"],
    ["a value the server refuses", "name: A\nlimits: { max_steps: -1 }\n", "max_steps"],
    [
      "a model without a key, after a valid agent",
      "name: A\n---\nname: B\nmodel: anthropic/claude-sonnet-5-5\ncapabilities: [{ agent: A }]\n",
      "No key is set",
    ],
    ["nothing", "", "contains no agent"],
  ])("refuses %s, names the file, and changes nothing", async (_what, text, words) => {
    const path = await write("a.yaml", text);
    const { code, err } = await capstan(["apply", path, "--yes"]);
    expect(code).toBe(1);
    expect(err).toContain(words);
    expect(err).toContain("a.yaml");
    expect((await server.call("GET", "/v1/agents")).body.total).toBe(0);
  });

  test("asks for the id when the server has two with the same name", async () => {
    for (let i = 0; i < 2; i++) await server.call("POST", "/v1/agents", { name: "Twin" });
    const { err } = await capstan(["apply", await write("a.yaml", "name: Twin\n"), "--yes"]);
    expect(err).toMatch(/2 agents named "Twin".*[0-9a-f-]{36}/s);
  });
});

describe("capstan agents export", () => {
  test.each(["yaml", "ts"])("as %s can be applied without a difference", async (form) => {
    const team = await write("team.yaml", TEAM);
    await changes(team, "--yes");
    await rm(team);
    expect((await capstan(["agents", "export", "--as", form, "--out", folder])).out).toContain(
      `lead.${form}`,
    );
    if (form === "ts") await withoutImport(join(folder, "lead.ts"), join(folder, "worker.ts"));
    const { changes: found } = await changes(folder, "--dry-run");
    expect(found.map(({ action, differences }: never) => [action, differences])).toEqual([
      ["none", []],
      ["none", []],
    ]);
  });

  test("prints one agent, by id or by name, in the form apply reads", async () => {
    await changes(await write("team.yaml", TEAM), "--yes");
    const { out } = await capstan(["agents", "export", "Lead"]);
    expect(out).toContain("- agent: Worker\n");
    expect(out).toContain("system_prompt: |\n");
    const path = await write("lead.yaml", out);
    expect((await changes(path, "--dry-run")).changes).toMatchObject([{ action: "none" }]);
    expect((await capstan(["agents", "export", "Nobody"])).code).toBe(1);
  });

  test("as a skill can be installed", async () => {
    await changes(await write("team.yaml", TEAM), "--yes");
    await capstan(["agents", "export", "Lead", "--as", "skill", "--out", folder]);
    const text = await readFile(join(folder, "lead", "SKILL.md"), "utf8");
    expect(text).toContain("You lead.");
    expect(text).toContain("- `add` (requires approval): ");
    const review = await server.call("POST", "/v1/packages/review", {
      source: join(folder, "lead"),
      kind: "skill",
    });
    expect(review.body).toMatchObject({ name: expect.stringContaining("lead"), kind: "skill" });
  });

  test("as mcp-json is an entry that an MCP client can use", async () => {
    await changes(await write("team.yaml", TEAM), "--yes");
    const { out } = await capstan(["agents", "export", "Worker", "--as", "mcp-json"]);
    const { url } = JSON.parse(out).mcpServers.worker;
    const client = new Client({ name: "test", version: "1" });
    await client.connect(new StreamableHTTPClientTransport(new URL(url)));
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain("read_file");
    await client.close();
  });

  test("as agents-md lists the tools", async () => {
    await changes(await write("team.yaml", TEAM), "--yes");
    const { out } = await capstan(["agents", "export", "Lead", "--as", "agents-md"]);
    expect(out).toMatch(/^## Lead\n\nLeads\.\n/);
    expect(out).toContain("- `page_web_fetch`: ");
  });

  test("refuses an unknown form, and a single-agent form for several agents", async () => {
    await changes(await write("team.yaml", TEAM), "--yes");
    expect((await capstan(["agents", "export", "Lead", "--as", "pdf"])).err).toContain("not a form");
    expect((await capstan(["agents", "export", "--as", "skill"])).err).toContain("name it");
  });
});

/** The folder of a test has no packages installed: there the types-only helper is written down. */
async function withoutImport(...paths: string[]): Promise<void> {
  for (const path of paths) {
    const text = await readFile(path, "utf8");
    expect(text).toContain('import { defineAgent } from "@capstan/client";');
    await writeFile(path, text.replace(/^import.*$/m, "const defineAgent = (file: object) => file;"));
  }
}
