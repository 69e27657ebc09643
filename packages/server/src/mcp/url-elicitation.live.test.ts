/** A tool over /mcp that needs an account: clients of two generations that open links get it as elicitation, others in words. */
import { defineCapability, defineTool, ok } from "@capstan/core";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { freshPglite } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";
import { CLIENT, consentAt, type OAuthAccount, oauthAccount } from "../fixtures/oauth-account.ts";

const HERE = "http://capstan.test";
const REDIRECT = `${HERE}/connections/from/postbox`;
const LINK = `${HERE}/connections/connect?provider=postbox`;

let server: TestServer;
let account: OAuthAccount;
let agent: string;
beforeAll(async () => {
  account = await oauthAccount(REDIRECT);
  const mail = defineCapability({
    id: "postbox_mail",
    name: "Mail",
    description: "Reads mail.",
    connections: [{ provider: "postbox", scopes: ["mail.read"] }],
    tools: [
      defineTool({
        name: "read_mail",
        description: "Reads mail.",
        input: z.object({}),
        risk: "read",
        reads: [],
        writes: [],
        async run(_, { fetch, signal }) {
          const answer = await fetch(`${account.url}/mail`, { signal });
          return answer.ok ? ok(await answer.value.text()) : answer;
        },
      }),
    ],
  });
  server = await testServer(
    await freshPglite(),
    { CAPSTAN_PUBLIC_URL: HERE, CAPSTAN_ALLOW_HOSTS: account.host },
    { config: { capabilities: [mail] } },
  );
  await server.call("PUT", "/v1/connection-providers/postbox", {
    issuer: account.url,
    hosts: [account.host],
    base_scopes: ["openid", "email"],
    ...CLIENT,
  });
  agent = (await server.call("POST", "/v1/agents", { name: "Mailer", capabilities: ["postbox_mail"] })).body
    .id;
});
afterAll(async () => {
  await server?.stop();
  await account?.close();
});
beforeEach(async () => {
  for (const { id } of (await server.call("GET", "/v1/connections")).body.items)
    await server.call("DELETE", `/v1/connections/${id}`);
});

const address = () => new URL(`${server.url}/mcp?agent=${agent}`);
const NAMED = { name: "test", version: "1.0.0" };
const NEWEST = { versionNegotiation: { mode: "auto" } } as const;
const READ = { name: "read_mail", arguments: {} };

/** As the studio's page does, after the person opened the link. */
async function connectAt(link: string): Promise<void> {
  const asked = new URL(link).searchParams;
  const started = await server.call("POST", "/v1/connections", {
    provider: asked.get("provider"),
    scopes: asked.get("scopes")?.split(" ") ?? [],
    agent_id: asked.get("agent"),
  });
  const answer = await consentAt(started.body.authorization_url, REDIRECT);
  await server.call("POST", "/v1/connections/finish", answer);
}

async function newClient(answer: (url: string) => Promise<"accept" | "decline">) {
  const client = new Client(NAMED, { ...NEWEST, capabilities: { elicitation: { url: {} } } });
  const links: string[] = [];
  client.setRequestHandler("elicitation/create", async ({ params }) => {
    const url = "url" in params ? params.url : "";
    links.push(url);
    return { action: await answer(url) };
  });
  await client.connect(new StreamableHTTPClientTransport(address()));
  return { client, links };
}

test("a client of today is asked to open the link, and the same call goes on once the account is there", async () => {
  const { client, links } = await newClient(async (url) => {
    await connectAt(url);
    return "accept";
  });
  const result = await client.callTool(READ);
  expect(JSON.stringify(result)).toContain("Mail of mia");
  expect(links).toEqual([expect.stringContaining(LINK)]);
  await client.close();
});

test("the call waits for a person who is still at the provider", async () => {
  let connecting: Promise<void> | undefined;
  const { client } = await newClient(async (url) => {
    connecting = connectAt(url); // the person has opened it, and not yet consented
    return "accept";
  });
  expect(JSON.stringify(await client.callTool(READ))).toContain("Mail of mia");
  await connecting;
  await client.close();
});

test("a person who declines leaves the refusal with the link, and is asked once", async () => {
  const { client, links } = await newClient(async () => "decline");
  const result = await client.callTool(READ);
  expect(result.isError).toBe(true);
  expect(JSON.stringify(result)).toContain(LINK);
  expect(links).toHaveLength(1);
  await client.close();
});

test("a client of 2025 that opens links gets error -32042 with the link, and its next call works", async () => {
  const client = new OldClient(NAMED, { capabilities: { elicitation: { url: {} } } });
  await client.connect(new OldTransport(address()) as Parameters<OldClient["connect"]>[0]);
  const refused = await client.callTool(READ).catch((error: unknown) => error);
  expect(refused).toMatchObject({
    code: -32042,
    elicitations: [{ mode: "url", url: expect.stringContaining(LINK), elicitationId: expect.any(String) }],
  });
  await connectAt((refused as { elicitations: { url: string }[] }).elicitations[0]?.url ?? "");
  expect(JSON.stringify(await client.callTool(READ))).toContain("Mail of mia");
  await client.close();
});

test.each([
  ["today", () => new Client(NAMED, NEWEST), () => new StreamableHTTPClientTransport(address())],
  ["2025", () => new OldClient(NAMED), () => new OldTransport(address())],
])(
  "a client of %s that opens no links gets the refusal with the link in words",
  async (_, make, transport) => {
    const client = make();
    await client.connect(transport() as never);
    const result = await client.callTool(READ);
    expect(result.isError).toBe(true);
    expect(JSON.stringify(result)).toContain(LINK);
    await client.close();
  },
);
