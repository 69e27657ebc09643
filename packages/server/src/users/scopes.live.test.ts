/** An installed package under grants: the same actions are visible, or not, on every path that leads to them. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { spoken } from "../../../../tools/engine-under-test.ts";
import { llmEnvironment, type ScriptedLlm, scriptedLlm } from "../../../../tools/scripted-llm.ts";
import { type HarnessUnderTest, harnessUnderTest } from "../harness/fixtures/harness-under-test.ts";
import { scriptedAdapter } from "../harness/fixtures/scripted-adapter.ts";

let bench: HarnessUnderTest;
let llm: ScriptedLlm;
beforeAll(async () => {
  llm = await scriptedLlm(() => ({ text: ["Aye."] }));
  bench = await harnessUnderTest({ adapters: [scriptedAdapter()], settings: llmEnvironment(llm) });
  const source = writePackage(join(bench.home, "post"));
  const installed = await call("POST", "/v1/packages", { source, yes: true });
  expect(installed.description).toMatchObject({ capability: "post", scopes: ["Mail.Read", "Mail.Send"] });
});
afterAll(async () => {
  await bench?.stop();
  await llm?.close();
});

interface Granted {
  /** An agent of the built-in loop, and one run by a coding agent's program, with the same grants. */
  readonly agentId: string;
  readonly session: string;
  readonly harnessed: string;
}

/** Each path that shows an agent's tools: the names it shows. */
const PATHS: Readonly<Record<string, (granted: Granted) => Promise<unknown>>> = {
  preview: async ({ agentId }) =>
    namesIn((await call("GET", `/v1/agents/${agentId}/preview`)).tools as readonly unknown[]),
  discovery: async ({ agentId }) => {
    const { tools } = await call("GET", `/v1/agents/${agentId}/ag-ui/capabilities`);
    return namesIn((tools as { items?: unknown[] }).items ?? []);
  },
  "the model": async ({ session }) => {
    await bench.turn(session, "ahoy");
    return namesIn((llm.requests.at(-1)?.tools ?? []).map((tool) => tool.function));
  },
  MCP: async ({ agentId }) => {
    const { token } = await call("POST", `/v1/agents/${agentId}/tokens`, { name: "test" });
    return namesIn(await listOverMcp(String(token)));
  },
  "a coding agent": async ({ harnessed }) =>
    namesIn(
      spoken(await bench.turn(harnessed, "list"))
        .split(",")
        .map((name) => ({ name: name.trim() })),
    ),
  "/capabilities.json": async ({ session }) => {
    const { body } = await bench.server.call("GET", `/v1/sessions/${session}/files/capabilities.json`);
    const { capabilities } = JSON.parse(body) as { capabilities: { actions: { name: string }[] }[] };
    return namesIn(
      capabilities.flatMap(({ actions }) => actions.map(({ name }) => ({ name: `post_${name}` }))),
    );
  },
  routing: async ({ agentId }) => {
    const tasks = ["post send a letter to the harbour", "post list the letters"];
    const routed = await Promise.all(
      tasks.map((task) => call("POST", "/v1/route", { task, agent_id: agentId })),
    );
    return namesIn(
      routed.flatMap(({ plan }) =>
        (plan as { route: string }[]).map(({ route }) => ({ name: route.split("/").at(-1) })),
      ),
    );
  },
};

describe.each([
  { granted: [], seen: [] },
  { granted: ["Mail.Send"], seen: [] },
  { granted: ["Mail.Read"], seen: ["post_list"] },
  { granted: ["Mail.Read", "Mail.Send"], seen: ["post_list", "post_send"] },
])("with $granted granted", ({ granted, seen }) => {
  let agents: Granted;
  beforeAll(async () => {
    const agent = { name: "Clerk", capabilities: ["post"], granted_scopes: granted };
    const { id } = await call("POST", "/v1/agents", agent);
    const { id: session } = await call("POST", "/v1/sessions", { agent_id: id });
    const harnessed = await bench.session({ ...agent, harness: "scripted" });
    agents = { agentId: String(id), session: String(session), harnessed };
  });

  test.each(Object.keys(PATHS))("%s shows what the grants allow", async (path) => {
    expect(await PATHS[path]?.(agents)).toEqual(seen);
  });

  test("a coding agent finds the manifest in its folder, read-only", async () => {
    const events = await bench.turn(agents.harnessed, "read capabilities.json\nwrite capabilities.json mine");
    expect(spoken(events)).toContain('"capabilities": [');
    const { body } = await bench.server.call(
      "GET",
      `/v1/sessions/${agents.harnessed}/files/capabilities.json`,
    );
    expect(body).not.toContain("mine");
  });
});

test("the session's manifest follows a grant, its expiry, and the removal of the package, and cannot be written", async () => {
  const { id } = await call("POST", "/v1/agents", {
    name: "Clerk",
    capabilities: ["post"],
    granted_scopes: ["Mail.Read"],
  });
  const { id: session } = await call("POST", "/v1/sessions", { agent_id: id });
  const file = `/v1/sessions/${session}/files/capabilities.json`;
  const actions = async () => {
    const { body } = await bench.server.call("GET", file);
    return (JSON.parse(body) as { capabilities: { actions: { name: string }[] }[] }).capabilities.flatMap(
      (each) => each.actions.map(({ name }) => name),
    );
  };
  expect(await actions()).toEqual(["list"]);
  const subject = `agent:${id}`;
  const grant = await call("POST", "/v1/grants", { subject, scope: "Mail.Send", reason: "storm", hours: 1 });
  expect(await actions()).toEqual(["list", "send"]);
  expect((await call("GET", `/v1/grants?subject=${subject}`)).items).toEqual([
    expect.objectContaining({
      id: grant.id,
      scope: "Mail.Send",
      granted_by: "local@localhost",
      reason: "storm",
      expires_at: expect.stringMatching(/Z$/),
    }),
  ]);
  expect((await bench.server.call("DELETE", `/v1/grants/${grant.id}`)).status).toBe(204);
  expect((await bench.server.call("DELETE", `/v1/grants/${grant.id}`)).status).toBe(404);
  expect(await actions()).toEqual(["list"]);
  const past = new Date(Date.now() - 1000);
  const late = { subject, scope: "Mail.Send", grantedBy: "test", expiresAt: past };
  await bench.server.services.users.grant(late);
  expect(await actions()).toEqual(["list"]);
  await call("PATCH", `/v1/agents/${id}`, { granted_scopes: [] });
  expect(await actions()).toEqual([]);
  const listed = await call("GET", `/v1/sessions/${session}/files`);
  expect(listed.entries).toEqual([
    expect.objectContaining({ path: "/capabilities.json", is_readonly: true }),
  ]);
  expect((await bench.server.call("PUT", file, "mine")).status).toBe(403);
  expect((await bench.server.call("DELETE", file)).status).toBe(403);
  await call("DELETE", "/v1/packages/aech-cli-post?force=true");
  expect((await bench.server.call("GET", file)).status).toBe(404);
});

test("granted scopes are separate from a user's own, and setting the latter keeps the former", async () => {
  const email = "ann@example.com";
  await call("PUT", `/v1/users/${email}`, { scopes: ["Mail.Read"] });
  const grant = await call("POST", "/v1/grants", { subject: `user:${email}`, scope: "Mail.Send" });
  expect(await call("GET", `/v1/users/${email}`)).toMatchObject({
    scopes: ["Mail.Read", "Mail.Send"],
    own_scopes: ["Mail.Read"],
  });
  await call("PUT", `/v1/users/${email}`, { scopes: [] });
  expect((await call("GET", `/v1/users/${email}`)).scopes).toEqual(["Mail.Send"]);
  await bench.server.call("DELETE", `/v1/grants/${grant.id}`);
  expect((await call("GET", `/v1/users/${email}`)).scopes).toEqual([]);
});

test("a user's weight is set, shown and kept when other things are set", async () => {
  const email = "heavy@example.com";
  expect(await call("PUT", `/v1/users/${email}`, { weight: 3 })).toMatchObject({ weight: 3 });
  await call("PUT", `/v1/users/${email}`, { scopes: ["Mail.Read"] });
  expect(await call("GET", `/v1/users/${email}`)).toMatchObject({ weight: 3, scopes: ["Mail.Read"] });
  expect((await bench.server.call("PUT", `/v1/users/${email}`, { weight: -1 })).status).toBe(422);
});

/** Only those of the package; the agent's other capabilities do not matter here. */
const namesIn = (tools: readonly unknown[]): string[] =>
  [...new Set(tools.map((tool) => (tool as { name: string }).name))]
    .filter((name) => name.startsWith("post_"))
    .sort();

async function call(method: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
  const answer = await bench.server.call(method, path, body);
  expect(answer.body, `${method} ${path}`).not.toHaveProperty("nextStep");
  return answer.body;
}

async function listOverMcp(token: string): Promise<unknown[]> {
  const { body } = await bench.server.call(
    "POST",
    "/mcp",
    { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} },
    {
      authorization: `Bearer ${token}`,
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2025-11-25",
    },
  );
  const text = typeof body === "string" ? (/^data: (.*)$/m.exec(body)?.[1] ?? "{}") : JSON.stringify(body);
  return (JSON.parse(text) as { result: { tools: unknown[] } }).result.tools;
}

function writePackage(folder: string): string {
  mkdirSync(folder, { recursive: true });
  const write = (name: string, content: object | string) =>
    writeFileSync(join(folder, name), typeof content === "string" ? content : JSON.stringify(content));
  write("package.json", {
    name: "aech-cli-post",
    version: "1.0.0",
    type: "module",
    bin: { "aech-cli-post": "main.mjs" },
  });
  write("manifest.json", {
    name: "post",
    type: "cli",
    command: "aech-cli-post",
    description: "Reads and sends the letters of the post",
    required_scopes: ["Mail.Read"],
    actions: [
      { name: "list", description: "List the letters", parameters: ["--json"] },
      {
        name: "send",
        description: "Send a letter to someone",
        parameters: ["--to"],
        required_scopes: ["Mail.Send"],
      },
    ],
  });
  write("main.mjs", "#!/usr/bin/env node\nconsole.log(JSON.stringify(process.argv.slice(2)));\n");
  return folder;
}
