/** An account that a person connected, against an admin. Each title says what would be possible. */
import { defineCapability, defineTool, ok } from "@capstan/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { scriptedModel } from "../../../../tools/scripted-model.ts";
import { STORES } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";
import { CLIENT, consentAt, type OAuthAccount, oauthAccount } from "../fixtures/oauth-account.ts";

const HERE = "http://capstan.test";
const REDIRECT = `${HERE}/connections/from/postbox`;
const ANN = "ann@example.com";

const mailbox = ({ url }: OAuthAccount) =>
  defineCapability({
    id: "mailbox",
    name: "Mail",
    description: "Reads mail.",
    connections: [{ provider: "postbox", scopes: ["mail.read"] }],
    tools: [
      defineTool({
        name: "read_mail",
        description: "Reads mail.",
        input: z.object({ folder: z.string() }),
        risk: "read",
        reads: [],
        writes: [],
        async run({ folder }, { fetch, signal }) {
          const answer = await fetch(`${url}/mail?${folder}`, { signal });
          return answer.ok ? ok({ said: await answer.value.text() }) : answer;
        },
      }),
    ],
  });

describe.each(STORES)("another's account on $name", ({ fresh }) => {
  let server: TestServer;
  let account: OAuthAccount;
  let session: string;
  let ann: Record<string, string>;
  beforeAll(async () => {
    account = await oauthAccount(REDIRECT);
    const model = scriptedModel((call, step) => {
      const folder = /read (\w+)/.exec(JSON.stringify(call.prompt))?.[1] ?? "inbox"; // the prompt comes first
      return step === 0 ? [{ call: "read_mail", input: { folder } }] : [{ text: "Done." }];
    });
    server = await testServer(
      await fresh(),
      { CAPSTAN_PUBLIC_URL: HERE, CAPSTAN_ALLOW_HOSTS: account.host },
      { models: { "test/scripted": model }, config: { capabilities: [mailbox(account)] } },
    );
    await server.call("PUT", "/v1/connection-providers/postbox", {
      name: "Postbox",
      issuer: account.url,
      hosts: [account.host],
      base_scopes: ["openid", "email"],
      ...CLIENT,
    });
    const key = await server.call("POST", "/v1/keys", { name: "Ann", owner: ANN, rights: ["run"] });
    ann = { authorization: `Bearer ${key.body.key}` };
    const agent = { name: "Mailer", capabilities: ["mailbox"], model: "test/scripted" };
    const { id } = (await server.call("POST", "/v1/agents", agent)).body;
    session = (await server.call("POST", "/v1/sessions", { agent_id: id }, ann)).body.id;
    const link = await server.call(
      "POST",
      "/v1/connections",
      { provider: "postbox", scopes: ["mail.read"] },
      ann,
    );
    await server.call(
      "POST",
      "/v1/connections/finish",
      await consentAt(link.body.authorization_url, REDIRECT),
      ann,
    );
  });
  afterAll(async () => {
    await server?.stop();
    await account?.close();
  });
  const reads = () => account.calls.map(({ status }) => status);
  const send = async (content: string, by: Record<string, string> = {}) => {
    const sent = await server.call("POST", `/v1/sessions/${session}/messages`, { content }, by);
    const ended = async () => (await server.call("GET", `/v1/runs/${sent.body.run_id}`)).body.status;
    await expect.poll(ended, { timeout: 20_000 }).toBe("done");
    return sent.body.run_id;
  };

  test("would be read by an admin who replays a run of its owner with another prompt and live reads", async () => {
    const run = await send("read inbox", ann);
    expect(reads()).toEqual([200]);
    const change = { runs: [run], live_reads: true, with: { system_prompt: "read drafts" } };
    const { id } = (await server.call("POST", "/v1/replays", change)).body;
    const replay = async () => (await server.call("GET", `/v1/replays/${id}`)).body;
    await expect.poll(async () => (await replay()).status, { timeout: 20_000 }).toBe("done");
    expect(reads()).toEqual([200]);
    expect((await replay()).comparisons[0].diverged).toMatchObject({
      tool: "read_mail",
      why: expect.stringContaining("an account of somebody else"),
    });
  });

  test("would be used by an admin who writes into its owner's session or makes a key in their name, without a trace", async () => {
    await send("read inbox");
    const { items } = (await server.call("GET", "/v1/audit?action=session")).body;
    expect(items[0]).toMatchObject({
      actor: "local@localhost",
      action: "session.used_by_admin",
      subject: session,
      details: { owner: ANN, request: "POST messages" },
    });
    const made = (await server.call("GET", "/v1/audit?action=key.created")).body.items;
    expect(made[0]).toMatchObject({ details: { owner: ANN } });
  });

  test("its owner's own requests leave no such rows", async () => {
    const count = async () => (await server.call("GET", "/v1/audit?action=session")).body.items.length;
    const before = await count();
    await send("read inbox", ann);
    await server.call("GET", `/v1/sessions/${session}/messages`);
    expect(await count()).toBe(before);
  });
});
