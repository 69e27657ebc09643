/** Runs that act as their user: the first call asks, the person consents at a real provider, the run goes on. */
import { defineCapability, defineTool, ok } from "@capstan/core";
import { uuidv7 } from "uuidv7";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { typeCommand } from "../../../../tools/command-under-test.ts";
import { scriptedModel } from "../../../../tools/scripted-model.ts";
import { type FreshStore, STORES } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";
import { searchForTokens } from "../fixtures/leaked-tokens.ts";
import { CLIENT, consentAt, type OAuthAccount, oauthAccount } from "../fixtures/oauth-account.ts";

const HERE = "http://capstan.test";
const REDIRECT = `${HERE}/connections/from/postbox`;

/** Reads `/mail…` of the provider, and says what else it reached. */
const postbox = (account: OAuthAccount, elsewhere: OAuthAccount) =>
  defineCapability({
    id: "postbox_mail",
    name: "Mail",
    description: "Reads mail.",
    connections: [{ provider: "postbox", scopes: ["mail.read"] }],
    tools: [
      defineTool({
        name: "read_mail",
        description: "Reads mail.",
        input: z.object({ path: z.string().default("/mail") }),
        risk: "read",
        reads: [],
        writes: [],
        async run({ path }, { fetch, signal }) {
          const base = path.startsWith("elsewhere")
            ? elsewhere.url + path.slice("elsewhere".length)
            : account.url + path;
          const answer = await fetch(base, { signal });
          if (!answer.ok) return answer;
          const said = await answer.value.text();
          // Backwards, a token that the tool saw would be recognised by nothing behind it.
          const backwards = path.endsWith("echo") ? [...said].reverse().join("") : "";
          return ok({ status: answer.value.status, said, backwards });
        },
      }),
    ],
  });

describe.each(STORES)("runs with connections on $name", ({ fresh }) => {
  let server: TestServer;
  let store: FreshStore;
  let account: OAuthAccount;
  let elsewhere: OAuthAccount;
  let agent: string;
  beforeAll(async () => {
    account = await oauthAccount(REDIRECT);
    elsewhere = await oauthAccount(REDIRECT);
    store = await fresh();
    const model = scriptedModel((call, step) => {
      const last = JSON.stringify(call.prompt.filter(({ role }) => role === "user").at(-1));
      const path = /read (\S+?)["\\]/.exec(last)?.[1];
      if (step > 0 || path === undefined) return [{ text: "Done." }];
      const reading = { call: "read_mail", input: { path } };
      return last.includes("twice") ? [reading, reading] : [reading];
    });
    server = await testServer(
      store,
      { CAPSTAN_PUBLIC_URL: HERE, CAPSTAN_ALLOW_HOSTS: `${account.host},${elsewhere.host}` },
      { models: { "test/scripted": model }, config: { capabilities: [postbox(account, elsewhere)] } },
    );
    await server.call("PUT", "/v1/connection-providers/postbox", {
      name: "Postbox",
      issuer: account.url,
      hosts: [account.host],
      base_scopes: ["openid", "email"],
      ...CLIENT,
    });
    agent = await newAgent("Mailer");
  });
  afterAll(async () => {
    await server?.stop();
    await account?.close();
    await elsewhere?.close();
  });

  const newAgent = async (name: string): Promise<string> =>
    (
      await server.call("POST", "/v1/agents", {
        name,
        capabilities: ["postbox_mail"],
        model: "test/scripted",
      })
    ).body.id;
  const send = async (content: string, by = agent) => {
    const session = (await server.call("POST", "/v1/sessions", { agent_id: by })).body.id;
    const sent = await server.call("POST", `/v1/sessions/${session}/messages`, { content });
    const run = async () => (await server.call("GET", `/v1/runs/${sent.body.run_id}`)).body;
    const ends = (how: RegExp) =>
      expect.poll(async () => (await run()).status, { timeout: 20_000 }).toMatch(how);
    const question = async () =>
      (await server.call("GET", `/v1/approvals?status=pending&session_id=${session}`)).body.items[0];
    const messages = async () =>
      JSON.stringify((await server.call("GET", `/v1/sessions/${session}/messages`)).body);
    await ends(/done|waiting|failed/);
    return { session, run, ends, question, messages };
  };
  /** `without`: a scope that the person does not grant. */
  const consent = (approval: { id: string }, body: object = {}, without?: string) =>
    connect({ approval_id: approval.id, ...body }, without);
  const connect = async (body: object, without?: string) => {
    const started = await server.call("POST", "/v1/connections", body);
    expect(started.status).toBe(200);
    if (started.body.authorization_url === null) return started;
    const url = new URL(started.body.authorization_url);
    const asked = url.searchParams.get("scope")?.split(" ") ?? [];
    url.searchParams.set("scope", asked.filter((scope) => scope !== without).join(" "));
    return server.call("POST", "/v1/connections/finish", await consentAt(url.href, REDIRECT));
  };
  const connection = async () => (await server.call("GET", "/v1/connections")).body.items[0];
  const forget = async () => {
    for (const { id } of (await server.call("GET", "/v1/connections")).body.items)
      await server.call("DELETE", `/v1/connections/${id}`);
  };

  test("the first call asks with a link, and the run goes on after consent", async () => {
    const asking = await send("read /mail");
    expect((await asking.run()).status).toBe("waiting");
    const question = await asking.question();
    expect(question).toMatchObject({
      kind: "connect",
      tool: "read_mail",
      agent_name: "Mailer",
      input: { provider: "postbox", name: "Postbox", scopes: ["mail.read"], agent_id: agent },
    });
    expect(question.input.url).toBe(`${HERE}/connections/connect?approval=${question.id}`);
    expect(account.calls).toEqual([]);
    const finished = await consent(question);
    expect(finished.body).toMatchObject({ missing_scopes: [], session_id: asking.session });
    await asking.ends(/done/);
    expect(await asking.messages()).toContain("Mail of mia");
    const uses = await server.call("GET", `/v1/connections/${(await connection()).id}/uses`);
    expect(uses.body.items[0]).toMatchObject({
      agent_name: "Mailer",
      tool: "read_mail",
      session_id: asking.session,
    });
  });

  test("a yes without an account changes nothing, and a no lets the run go on without", async () => {
    await forget();
    const asking = await send("read /mail");
    const { id } = await asking.question();
    const yes = await server.call("POST", `/v1/approvals/${id}`, { decision: "approve" });
    expect(yes).toMatchObject({ status: 409, body: { code: "connection_not_answered" } });
    await server.call("POST", `/v1/approvals/${id}`, { decision: "deny", words: "not now" });
    await asking.ends(/done/);
    expect(await asking.messages()).toContain("did not connect the account: not now");
  });

  test("a consent for once is for one call; for an agent, not for another", async () => {
    await forget();
    const first = await send("read /mail");
    await consent(await first.question(), { term: "once" });
    await first.ends(/done/);
    const second = await send("read /mail");
    const question = await second.question();
    expect(question.reason).toContain("you have not allowed this agent");
    expect((await consent(question)).body.authorization_url).toBeNull();
    await second.ends(/done/);
    expect((await (await send("read /mail")).run()).status).toBe("done");
    const other = await send("read /mail", await newAgent("Other"));
    expect((await other.question()).reason).toContain("you have not allowed this agent");
  });

  test("one consent answers everything that it covers, and nothing else", async () => {
    await forget();
    const twice = await send("twice read /mail");
    const later = await send("read /mail");
    const other = await send("read /mail", await newAgent("Bystander"));
    const question = await other.question();
    await consent(await twice.question());
    await twice.ends(/done/);
    await later.ends(/done/);
    expect(await other.question()).toEqual(question); // not answered and asked again
    const more = await send("read /mail/send");
    const forMore = await more.question();
    await consent(question, { term: "once" });
    await other.ends(/done/);
    await connect({ provider: "postbox", scopes: ["mail.read"] });
    expect(await more.question()).toEqual(forMore);
    await server.call("POST", `/v1/approvals/${forMore.id}`, { decision: "deny" });
  });

  test("an account with less than a tool declares is not used, and less than was asked for answers nothing", async () => {
    await forget();
    await connect({ provider: "postbox", scopes: [] });
    const before = account.calls.length;
    const asking = await send("read /mail");
    const question = await asking.question();
    expect(question.reason).toContain("it lacks mail.read");
    expect(account.calls).toHaveLength(before);
    const finished = await consent(question, {}, "mail.read");
    expect(finished.body).toMatchObject({ missing_scopes: ["mail.read"], session_id: null });
    expect(await asking.question()).toEqual(question);
    await consent(question);
    await asking.ends(/done/);
    expect(await asking.messages()).toContain("Mail of mia");
  });

  test("on the command line, what waits is an account, not a yes", async () => {
    await forget();
    const { code, err } = await typeCommand(server.url, ["chat", "Mailer", "--message", "read /mail"]);
    const { id } = (await server.call("GET", "/v1/approvals?status=pending")).body.items[0];
    expect(code).toBe(1);
    expect(err).toContain(`${HERE}/connections/connect?approval=${id}`);
    expect(err).toContain(`capstan connections answer ${id}`);
    expect(err).not.toContain("approvals approve");
    await server.call("POST", `/v1/approvals/${id}`, { decision: "deny" });
  });

  test("a consent for a time ends", async () => {
    await forget();
    const first = await send("read /mail");
    await consent(await first.question(), { term: "time", hours: 1 });
    await first.ends(/done/);
    const { consents, id } = await connection();
    expect(Date.parse(consents[0].until)).toBeGreaterThan(Date.now());
    expect((await (await send("read /mail")).run()).status).toBe("done");
    await server.services.database.pool.query(
      "update connection_consents set expires_at = now() - interval '1 second'",
    );
    expect((await connection()).consents).toEqual([]);
    const late = await send("read /mail");
    await consent(await late.question(), { term: "time", hours: 1 });
    await late.ends(/done/);
    expect((await server.call("DELETE", `/v1/connections/${id}/consents/${agent}`)).status).toBe(204);
    expect((await (await send("read /mail")).question()).kind).toBe("connect");
  });

  test("a scope that the provider misses is asked for, and then the call is made", async () => {
    await forget();
    const first = await send("read /mail");
    await consent(await first.question());
    await first.ends(/done/);
    const stepUp = await send("read /mail/send");
    const question = await stepUp.question();
    expect(question.input.scopes).toEqual(["mail.read", "mail.send"]);
    await consent(question);
    await stepUp.ends(/done/);
    expect(await stepUp.messages()).toContain("Mail of mia");
  });

  test("a token that the provider refuses is refreshed, and the call is made again", async () => {
    account.revokeAccessTokens();
    const before = account.grants.length;
    expect((await (await send("read /mail")).run()).status).toBe("done");
    expect(account.grants.slice(before)).toEqual(["refresh_token"]);
  });

  test("a scope that is missing is asked for, also when the token had to be refreshed first", async () => {
    await forget();
    const first = await send("read /mail");
    await consent(await first.question());
    await first.ends(/done/);
    account.revokeAccessTokens();
    const stepUp = await send("read /mail/send");
    expect((await stepUp.question())?.input.scopes).toEqual(["mail.read", "mail.send"]);
    await consent(await stepUp.question());
    await stepUp.ends(/done/);
  });

  test("revoked at the provider or here, the next call asks again", async () => {
    await account.revokeAll();
    const asking = await send("read /mail");
    expect((await asking.question()).reason).toContain("no longer accepts");
    await consent(await asking.question());
    await asking.ends(/done/);
    await server.call("DELETE", `/v1/connections/${(await connection()).id}`);
    expect((await (await send("read /mail")).question()).reason).toContain("not connected");
  });

  test("an account whose new tokens are refused, too, has ended", async () => {
    await forget();
    const first = await send("read /mail");
    await consent(await first.question());
    await first.ends(/done/);
    account.refusesAll = true;
    const asking = await send("read /mail");
    expect((await asking.question()).reason).toContain("no longer accepts");
    expect(await connection()).toMatchObject({ status: "ended" });
    account.refusesAll = false;
    await consent(await asking.question());
    await asking.ends(/done/);
  });

  test("the token goes to the provider's host and to no other", async () => {
    await forget();
    const first = await send("read /mail");
    await consent(await first.question());
    await first.ends(/done/);
    const away = await send("read elsewhere/mail");
    await away.ends(/done/);
    expect(elsewhere.calls.at(-1)).toEqual({ authorization: undefined, status: 401 });
    const tricked = await send("read elsewhere@x/mail");
    await tricked.ends(/done/);
    expect(elsewhere.calls.every(({ authorization }) => authorization === undefined)).toBe(true);
  });

  test("a preview shows what agent, user and account have, and what is lacking", async () => {
    const shown = async (id: string) => (await server.call("GET", `/v1/agents/${id}/preview`)).body;
    const mailer = await shown(agent);
    expect(mailer.connections).toEqual([
      expect.objectContaining({
        tool: "read_mail",
        provider: "postbox",
        scopes: ["mail.read"],
        missing: [],
        ready: true,
      }),
    ]);
    expect(mailer.connections[0].has).toContain("mail.read");
    expect(mailer.scope_sources).toEqual({ agent: expect.any(Array), user: expect.any(Array) });
    const other = await shown(await newAgent("Third"));
    expect(other.connections[0]).toMatchObject({ ready: false, account: "mia@provider.example" });
    expect(other.connections[0].detail).toContain("not allowed to this agent");
  });

  test("a task over A2A is auth-required with the link, and goes on after consent", async () => {
    await forget();
    const rpc = async (method: string, params: object) =>
      (await server.call("POST", `/v1/agents/${agent}/a2a`, { jsonrpc: "2.0", id: 1, method, params })).body
        .result;
    const message = {
      kind: "message",
      messageId: uuidv7(),
      role: "user",
      parts: [{ kind: "text", text: "read /mail" }],
    };
    const task = await rpc("message/send", { message });
    const { items } = (await server.call("GET", `/v1/approvals?status=pending&session_id=${task.contextId}`))
      .body;
    const link = `${HERE}/connections/connect?approval=${items[0].id}`;
    expect(task.status.state).toBe("auth-required");
    expect(task.status.message.parts[0].text).toContain(link);
    expect(task.status.message.parts[0].text).not.toMatch(/true|Call:/); // nobody can say yes without the account
    const again = await rpc("tasks/get", { id: task.id });
    expect(again.status.state).toBe("auth-required");
    expect(JSON.stringify(again.status.message)).toContain(link);
    await consent(items[0]);
    const state = async () => (await rpc("tasks/get", { id: task.id })).status.state;
    await expect.poll(state, { timeout: 20_000 }).toBe("completed");
  });

  test("a run over AG-UI ends with an interrupt that has the link", async () => {
    await forget();
    const threadId = uuidv7();
    const { body } = await server.call("POST", `/v1/agents/${agent}/ag-ui`, {
      threadId,
      runId: uuidv7(),
      messages: [{ id: uuidv7(), role: "user", content: "read /mail" }],
      state: {},
      tools: [],
      context: [],
      forwardedProps: {},
    });
    const events = (body as string)
      .split("\n")
      .filter((line) => line.startsWith("data:"))
      .map((line) => JSON.parse(line.slice("data:".length)));
    const { type, outcome } = events.at(-1);
    expect({ type, outcome: outcome.type }).toEqual({ type: "RUN_FINISHED", outcome: "interrupt" });
    const [interrupt] = outcome.interrupts;
    const url = `${HERE}/connections/connect?approval=${interrupt.id}`;
    expect(interrupt).toMatchObject({
      reason: "connect",
      message: expect.stringContaining(url),
      metadata: { url, provider: "postbox", scopes: ["mail.read"] },
    });
    await consent(interrupt);
  });

  test("a direct call is refused with the link, and another user's call has no part in it", async () => {
    const key = await server.call("POST", "/v1/keys", {
      name: "eve",
      owner: "eve@example.com",
      rights: ["run"],
    });
    const eve = { authorization: `Bearer ${key.body.key}` };
    const called = await server.call(
      "POST",
      "/v1/capabilities/postbox_mail/tools/read_mail",
      { input: {} },
      eve,
    );
    expect(called).toMatchObject({ status: 403, body: { code: "connection_needed" } });
    expect(called.body.nextStep ?? called.body.next_step).toContain(
      `${HERE}/connections/connect?provider=postbox`,
    );
  });

  test("no token is found in any table, file, event, message or log", async () => {
    account.revokeAccessTokens(); // so that the tool is answered with the refreshed one
    const echo = await send("read /mail/echo");
    await echo.ends(/done/);
    expect(await echo.messages()).toContain("[secret]");
    const backwards = [...account.tokens].map((token) => [...token].reverse().join(""));
    const tokens = [...account.tokens, ...backwards, CLIENT.client_secret];
    expect(tokens.length).toBeGreaterThan(5);
    expect(await searchForTokens(server, store, tokens)).toEqual([]);
  });
});
