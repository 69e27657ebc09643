/** Several processes on one Postgres: one is killed at each step of a connection, others go on; a token is refreshed once by three. */
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  llmEnvironment,
  type ScriptedLlm,
  scriptedLlm,
  toolAnswered,
} from "../../../../tools/scripted-llm.ts";
import { type ServerProcess, serverProcess } from "../../../../tools/server-process.ts";
import { type FreshStore, freshPostgres } from "../../../../tools/stores-under-test.ts";
import { CLIENT, consentAt, type OAuthAccount, oauthAccount } from "../fixtures/oauth-account.ts";

const HERE = "http://capstan.test";
const REDIRECT = `${HERE}/connections/from/postbox`;

let store: FreshStore;
let llm: ScriptedLlm;
let account: OAuthAccount;
const running: ServerProcess[] = [];
beforeAll(async () => {
  account = await oauthAccount(REDIRECT);
  llm = await scriptedLlm((request) =>
    toolAnswered(request)
      ? { text: ["Done."] }
      : { calls: [{ id: crypto.randomUUID(), name: "list_mail", input: {} }] },
  );
  store = await freshPostgres();
});
afterAll(async () => {
  for (const server of running) await server.end("SIGKILL");
  await store?.drop();
  await llm?.close();
  await account?.close();
});

async function start(): Promise<ServerProcess> {
  const server = await serverProcess(store, {
    ...llmEnvironment(llm),
    CAPSTAN_FIND_MODELS: "off",
    CAPSTAN_PUBLIC_URL: HERE,
    CAPSTAN_ALLOW_HOSTS: `${account.host},${new URL(llm.baseUrl).host}`,
    CAPSTAN_SECRET: "the same secret for all three",
  });
  running.push(server);
  return server;
}

/** A capability that is a document: it names a provider, and never where its token goes. */
const mailDocument = () => ({
  id: "mail",
  name: "Mail",
  description: "Reads mail.",
  base_url: account.url,
  connections: [{ provider: "postbox", scopes: ["mail.read"] }],
  tools: [
    { name: "list_mail", description: "Reads mail.", method: "GET", path: "/mail", reads: [], writes: [] },
  ],
});

test("a run goes on although its process was killed before the consent, and another one during it", async () => {
  const first = await start();
  await first.call("PUT", "/v1/connection-providers/postbox", {
    issuer: account.url,
    hosts: [account.host],
    base_scopes: ["openid", "email"],
    ...CLIENT,
  });
  expect((await first.call("POST", "/v1/capabilities", mailDocument())).status).toBe(201);
  const agent = (await first.call("POST", "/v1/agents", { name: "Mailer", capabilities: ["mail"] })).body.id;
  const session = (await first.call("POST", "/v1/sessions", { agent_id: agent })).body.id;
  const run = (await first.call("POST", `/v1/sessions/${session}/messages`, { content: "mail" })).body.run_id;
  const statusAt = async (server: ServerProcess) => (await server.call("GET", `/v1/runs/${run}`)).body.status;
  await expect.poll(() => statusAt(first), { timeout: 30_000 }).toBe("waiting");
  await first.end("SIGKILL");

  const second = await start();
  const [question] = (await second.call("GET", "/v1/approvals?status=pending")).body.items;
  expect(question).toMatchObject({ kind: "connect", tool: "list_mail" });
  const begun = await second.call("POST", "/v1/connections", { approval_id: question.id });
  const answer = await consentAt(begun.body.authorization_url, REDIRECT);
  await second.end("SIGKILL");

  const third = await start();
  const finished = await third.call("POST", "/v1/connections/finish", answer);
  expect(finished).toMatchObject({ status: 200, body: { session_id: session } });
  await expect.poll(() => statusAt(third), { timeout: 60_000 }).toBe("done");
  const said = JSON.stringify((await third.call("GET", `/v1/sessions/${session}/messages`)).body);
  expect(said).toContain("Mail of mia");
}, 180_000);

test("a token that has ended is refreshed once by three processes", async () => {
  const servers = [...running.slice(2), await start(), await start()];
  expect(servers).toHaveLength(3);
  const { items } = (await (servers[0] as ServerProcess).call("GET", "/v1/agents")).body;
  account.lifeSeconds = 3600;
  account.revokeAccessTokens(); // every process finds its token refused
  const before = account.grants.length;
  const call = (server: ServerProcess) =>
    server.call("POST", "/v1/capabilities/mail/tools/list_mail", { agent_id: items[0].id, input: {} });
  const answers = await Promise.all([...servers, ...servers].map(call));
  for (const { status, body } of answers)
    expect([status, JSON.stringify(body)]).toEqual([200, expect.stringContaining("Mail of mia")]);
  expect(account.grants.slice(before)).toEqual(["refresh_token"]);
}, 120_000);

test("the processes wrote no token to their logs", () => {
  const logs = running.map((server) => server.log()).join("\n");
  for (const token of account.tokens) expect(logs.includes(token)).toBe(false);
});
