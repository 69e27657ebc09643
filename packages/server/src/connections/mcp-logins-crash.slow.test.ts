/** An MCP server with a login, and processes that are killed between the steps: asked, consented, finished, called. */
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  llmEnvironment,
  type ScriptedLlm,
  scriptedLlm,
  toolAnswered,
} from "../../../../tools/scripted-llm.ts";
import { type ServerProcess, serverProcess } from "../../../../tools/server-process.ts";
import { type FreshStore, freshPostgres } from "../../../../tools/stores-under-test.ts";
import { consentAt } from "../fixtures/oauth-account.ts";
import { type ProtectedMcp, protectedMcp } from "../fixtures/protected-mcp.ts";

const HERE = "http://capstan.test";
const REDIRECT = `${HERE}/connections/from/`;

let store: FreshStore;
let llm: ScriptedLlm;
let notes: ProtectedMcp;
const running: ServerProcess[] = [];
beforeAll(async () => {
  notes = await protectedMcp();
  llm = await scriptedLlm((request) =>
    toolAnswered(request)
      ? { text: ["Done."] }
      : { calls: [{ id: crypto.randomUUID(), name: "my_notes", input: {} }] },
  );
  store = await freshPostgres();
});
afterAll(async () => {
  for (const server of running) await server.end("SIGKILL");
  await store?.drop();
  await llm?.close();
  await notes?.close();
});

async function start(): Promise<ServerProcess> {
  const server = await serverProcess(store, {
    ...llmEnvironment(llm),
    CAPSTAN_FIND_MODELS: "off",
    CAPSTAN_PUBLIC_URL: HERE,
    CAPSTAN_ALLOW_HOSTS: `${notes.host},${new URL(llm.baseUrl).host}`,
    CAPSTAN_SECRET: "the same secret for all of them",
  });
  running.push(server);
  return server;
}

const DECLARED = () => ({
  source: "notes",
  kind: "mcp",
  run_to_describe: true,
  bytes: Buffer.from(JSON.stringify({ name: "notes", url: notes.url })).toString("base64"),
});

test("every step of a login at an MCP server may be another process's, the one before killed", async () => {
  const found = await start();
  const refused = await found.call("POST", "/v1/packages/review", DECLARED());
  expect(refused.body.code).toBe("connection_needed");
  const { provider } = refused.body.details;
  await found.end("SIGKILL");

  const begun = await start();
  const login = await begun.call("POST", "/v1/connections", { provider, scopes: ["notes.read"] });
  const reviewed = await consentAt(login.body.authorization_url, REDIRECT, "mia");
  await begun.end("SIGKILL");

  const installing = await start();
  expect((await installing.call("POST", "/v1/connections/finish", reviewed)).status).toBe(200);
  expect((await installing.call("POST", "/v1/packages", { ...DECLARED(), yes: true })).status).toBe(201);
  expect(notes.clients.size).toBe(1);
  const [{ id }] = (await installing.call("GET", "/v1/connections")).body.items;
  await installing.call("DELETE", `/v1/connections/${id}`);
  const agent = (await installing.call("POST", "/v1/agents", { name: "Noter", capabilities: ["notes"] })).body
    .id;
  const session = (await installing.call("POST", "/v1/sessions", { agent_id: agent })).body.id;
  const sent = await installing.call("POST", `/v1/sessions/${session}/messages`, { content: "notes" });
  const statusAt = async (server: ServerProcess) =>
    (await server.call("GET", `/v1/runs/${sent.body.run_id}`)).body.status;
  await expect.poll(() => statusAt(installing), { timeout: 30_000 }).toBe("waiting");
  await installing.end("SIGKILL");

  const consenting = await start();
  const [question] = (await consenting.call("GET", "/v1/approvals?status=pending")).body.items;
  expect(question).toMatchObject({ kind: "connect", tool: "my_notes" });
  const asked = await consenting.call("POST", "/v1/connections", { approval_id: question.id });
  const answer = await consentAt(asked.body.authorization_url, REDIRECT, "mia");
  await consenting.end("SIGKILL");

  const finishing = await start();
  expect((await finishing.call("POST", "/v1/connections/finish", answer)).status).toBe(200);
  await finishing.end("SIGKILL"); // the answer is stored, and the run may not have gone on yet

  const last = await start();
  await expect.poll(() => statusAt(last), { timeout: 90_000 }).toBe("done");
  const said = JSON.stringify((await last.call("GET", `/v1/sessions/${session}/messages`)).body);
  expect(said).toContain("Notes of mia");
}, 300_000);

test("a token that the server refuses is refreshed once by three processes", async () => {
  const servers = [running.at(-1) as ServerProcess, await start(), await start()];
  const agents = (await (servers[0] as ServerProcess).call("GET", "/v1/agents")).body.items;
  notes.endAccessTokens();
  const before = notes.grants.length;
  const call = (server: ServerProcess) =>
    server.call("POST", "/v1/capabilities/notes/tools/my_notes", { agent_id: agents[0].id, input: {} });
  const answers = await Promise.all([...servers, ...servers].map(call));
  for (const { status, body } of answers)
    expect([status, JSON.stringify(body)]).toEqual([200, expect.stringContaining("Notes of mia")]);
  expect(notes.grants.slice(before)).toEqual(["refresh_token"]);
}, 120_000);

test("the processes wrote no token to their logs", () => {
  const logs = running.map((server) => server.log()).join("\n");
  for (const token of notes.tokens) expect(logs.includes(token)).toBe(false);
});
