/** Other people's MCP servers for our agents: the official SDK's server with its login, and two people with an account each. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { scriptedModel } from "../../../../tools/scripted-model.ts";
import { type FreshStore, STORES } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";
import { searchForTokens } from "../fixtures/leaked-tokens.ts";
import { consentAt } from "../fixtures/oauth-account.ts";
import { type ProtectedMcp, protectedMcp } from "../fixtures/protected-mcp.ts";

const HERE = "http://capstan.test";
const REDIRECT = `${HERE}/connections/from/`;

describe.each(STORES)("an MCP server with a login on $name", ({ fresh }) => {
  let server: TestServer;
  let store: FreshStore;
  let notes: ProtectedMcp;
  let agent: string;
  let provider: string;
  let mia: Record<string, string>;
  let tom: Record<string, string>;
  beforeAll(async () => {
    notes = await protectedMcp();
    store = await fresh();
    const model = scriptedModel((call, step) => {
      const last = JSON.stringify(call.prompt.filter(({ role }) => role === "user").at(-1));
      const tool = /use (\w+)/.exec(last)?.[1];
      return step === 0 && tool ? [{ call: tool, input: {} }] : [{ text: "Done." }];
    });
    server = await testServer(
      store,
      { CAPSTAN_PUBLIC_URL: HERE, CAPSTAN_ALLOW_HOSTS: notes.host },
      { models: { "test/scripted": model } },
    );
    mia = await key("mia@example.com");
    tom = await key("tom@example.com");
  });
  afterAll(async () => {
    await server?.stop();
    await notes?.close();
  });

  const key = async (owner: string) => {
    const made = await server.call("POST", "/v1/keys", { name: owner, owner, rights: ["run"] });
    return { authorization: `Bearer ${made.body.key}` };
  };
  const declaration = () => ({
    source: "notes",
    kind: "mcp",
    bytes: Buffer.from(JSON.stringify({ name: "notes", url: notes.url })).toString("base64"),
  });
  const connect = async (body: object, login: string, headers?: Record<string, string>) => {
    const started = await server.call("POST", "/v1/connections", body, headers);
    expect(started.status).toBe(200);
    if (started.body.authorization_url === null) return started;
    const answer = await consentAt(started.body.authorization_url, REDIRECT, login);
    return server.call("POST", "/v1/connections/finish", answer, headers);
  };
  const send = async (content: string, who: Record<string, string>) => {
    const session = (await server.call("POST", "/v1/sessions", { agent_id: agent }, who)).body.id;
    const sent = await server.call("POST", `/v1/sessions/${session}/messages`, { content }, who);
    const status = async () =>
      (await server.call("GET", `/v1/runs/${sent.body.run_id}`, undefined, who)).body.status;
    const ends = (how: RegExp) => expect.poll(status, { timeout: 20_000 }).toMatch(how);
    await ends(/done|waiting|failed/);
    const question = async () =>
      (await server.call("GET", `/v1/approvals?status=pending&session_id=${session}`, undefined, who)).body
        .items[0];
    const messages = async () =>
      JSON.stringify((await server.call("GET", `/v1/sessions/${session}/messages`, undefined, who)).body);
    return { status, ends, question, messages };
  };

  test("a review finds its login, registers a client there and asks the reviewer to connect", async () => {
    const asked = { ...declaration(), run_to_describe: true };
    const refused = await server.call("POST", "/v1/packages/review", asked);
    expect(refused).toMatchObject({ status: 403, body: { code: "connection_needed" } });
    provider = refused.body.details.provider;
    expect(refused.body.details).toMatchObject({ name: notes.host, scopes: ["notes.read"] });
    expect(refused.body.details.url).toContain(`${HERE}/connections/connect?provider=mcp.127.0.0.1.`);
    expect([...notes.clients.values()]).toEqual([
      expect.objectContaining({ client_name: "Capstan", redirect_uris: [REDIRECT + provider] }),
    ]);
    const listed = (await server.call("GET", "/v1/connection-providers")).body.items;
    expect(listed.find(({ id }: { id: string }) => id === provider)).toMatchObject({
      hosts: [notes.host],
      ready: true,
      pkce: true,
    });
  });

  test("our client metadata can be read without a key", async () => {
    const shown = await server.call("GET", `/connections/clients/${provider}`, undefined, {
      authorization: "",
    });
    expect(shown).toMatchObject({
      status: 200,
      body: { client_id: `${HERE}/connections/clients/${provider}`, redirect_uris: [REDIRECT + provider] },
    });
  });

  test("with the reviewer's account its tools are known, and the review names the login", async () => {
    await connect({ provider, scopes: ["notes.read"] }, "reviewer");
    const review = await server.call("POST", "/v1/packages/review", {
      ...declaration(),
      run_to_describe: true,
    });
    expect(review.status).toBe(200);
    expect(JSON.stringify(review.body)).toContain(`Each user logs in at ${notes.host}.`);
    const installed = await server.call("POST", "/v1/packages", {
      ...declaration(),
      run_to_describe: true,
      yes: true,
    });
    expect(installed).toMatchObject({
      status: 201,
      body: { description: { connections: [{ provider, scopes: ["notes.read"] }], hosts: [notes.host] } },
    });
    expect(notes.clients.size).toBe(1);
    expect(new Set(notes.resources)).toEqual(new Set([notes.url]));
    agent = (
      await server.call("POST", "/v1/agents", {
        name: "Noter",
        capabilities: ["notes"],
        model: "test/scripted",
      })
    ).body.id;
  });

  test("the first call of each user asks, and goes on with that user's account and no other", async () => {
    for (const [who, login] of [
      [mia, "mia"],
      [tom, "tom"],
    ] as const) {
      const asking = await send("use my_notes", who);
      const question = await asking.question();
      expect(question).toMatchObject({ kind: "connect", tool: "my_notes", input: { provider } });
      const finished = await connect({ approval_id: question.id }, login, who);
      expect(finished.status).toBe(200);
      await asking.ends(/done/);
      expect(await asking.messages()).toContain(`Notes of ${login}`);
    }
    for (const [who, login] of [
      [tom, "tom"],
      [mia, "mia"],
    ] as const) {
      const said = await (await send("use my_notes", who)).messages();
      expect(said.match(/Notes of \w+/g)?.every((text) => text === `Notes of ${login}`)).toBe(true);
    }
    expect(notes.calls.map(({ login }) => login)).toEqual(["mia", "tom", "tom", "mia"]);
  });

  test("one person cannot answer with an account for another", async () => {
    const eve = await key("eve@example.com");
    const asking = await send("use my_notes", eve);
    const { id } = await asking.question();
    const started = await server.call("POST", "/v1/connections", { approval_id: id }, mia);
    expect(started.status).toBe(422);
    expect(await asking.status()).toBe("waiting");
  });

  test("a token that the server refuses is refreshed once, and the call is made", async () => {
    notes.endAccessTokens();
    const before = notes.grants.length;
    const again = await send("use my_notes", mia);
    expect(await again.messages()).toContain("Notes of mia");
    expect(notes.grants.slice(before)).toEqual(["refresh_token"]);
  });

  test("a tool that needs more asks for exactly that, then runs", async () => {
    const asking = await send("use write_note", mia);
    const question = await asking.question();
    expect(question.input.scopes).toEqual(["notes.read", "notes.write"]);
    await connect({ approval_id: question.id }, "mia", mia);
    await asking.ends(/done/);
    expect(await asking.messages()).toContain("Written for mia");
  });

  test("revoked at the server or here, the next call asks again", async () => {
    notes.endAll();
    const asking = await send("use my_notes", mia);
    const question = await asking.question();
    expect(question.reason).toContain("no longer accepts");
    await connect({ approval_id: question.id }, "mia", mia);
    await asking.ends(/done/);
    const [{ id }] = (await server.call("GET", "/v1/connections", undefined, mia)).body.items;
    const revoked = await server.call("DELETE", `/v1/connections/${id}`, undefined, mia);
    expect(revoked.body.revoked_at_provider).toBe(true);
    expect((await (await send("use my_notes", mia)).question()).reason).toContain("not connected");
  });

  test("no token is found in any table, file, message or list, though the server repeats it", async () => {
    const asking = await send("use echo_token", mia);
    await connect({ approval_id: (await asking.question()).id }, "mia", mia);
    await asking.ends(/done/);
    expect(await asking.messages()).toContain("It was [secret]");
    expect(notes.tokens.size).toBeGreaterThan(8);
    expect(await searchForTokens(server, store, notes.tokens)).toEqual([]);
  });
});
