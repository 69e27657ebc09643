/** The rules in docs/rules.md: each is saved as it stands there, and decides as its name says. */
import { readFileSync } from "node:fs";
import { defineCapability, defineTool, ok } from "@capstan/core";
import { createRuleSet, type Rule, type RuleCall } from "@capstan/core/internal";
import { compileCel } from "@capstan/runtime";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { freshPglite } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";

const page = readFileSync(new URL("../../../../docs/rules.md", import.meta.url), "utf8");
const [, listed = ""] = /## Twenty example rules[\s\S]*?```yaml\n([\s\S]*?)```/.exec(page) ?? [];
const written: { readonly name: string }[] = parse(listed).rules;

const tool = (name: string, input: z.ZodObject, more: object = {}) =>
  defineTool({ name, description: `Does ${name}.`, input, run: async () => ok("done"), ...more });
const capabilities = [
  defineCapability({
    id: "mail",
    name: "Mail",
    description: "Sends mail.",
    tools: [tool("send_mail", z.object({ to: z.string(), attachment: z.string().optional() }))],
  }),
  defineCapability({
    id: "shop",
    name: "Shop",
    description: "Money, deployments, customers.",
    tools: [
      tool("pay", z.object({ amount: z.number(), currency: z.string() }), { risk: "write" }),
      tool("refund", z.object({ amount: z.number() }), { policy: "approve" }),
      tool("deploy", z.object({ target: z.string() })),
      tool("delete_customer", z.object({ id: z.string() }), { risk: "irreversible" }),
    ],
  }),
];

let server: TestServer;
let agent: string;
beforeAll(async () => {
  server = await testServer(await freshPglite(), {}, { config: { capabilities } });
  const body = { name: "Clerk", capabilities: ["mail", "shop", "session_file_system"] };
  agent = (await server.call("POST", "/v1/agents", body)).body.id;
});
afterAll(() => server?.stop());

type Call = readonly [tool: string, input: object, more?: object];
const SOME = { amount: 1, currency: "EUR" };
const NIGHT = new Date("2026-11-16T23:00:00Z");
const NOON = new Date("2026-11-16T12:00:00Z");
const FRIDAY = new Date("2026-11-20T13:00:00Z");

/** For each rule: a call it is for, and one it is not. */
const CALLS: Readonly<Record<string, readonly [meant: Call, other: Call]>> = {
  "Reports only": [
    ["write_file", { path: "/a" }],
    ["write_file", { path: "/reports/a" }],
  ],
  "Free folder": [
    ["write_file", { path: "/scratch/a" }],
    ["write_file", { path: "/scratch/../a" }],
  ],
  "No secrets in files": [
    ["write_file", { path: "/a", content: "-----begin private key-----" }],
    ["write_file", { path: "/a", content: "hello" }],
  ],
  "Payments above 100": [
    ["pay", { ...SOME, amount: 101 }],
    ["pay", { ...SOME, amount: 100 }],
  ],
  "Payments above 5000": [
    ["pay", { ...SOME, amount: 5001 }],
    ["pay", SOME],
  ],
  "Our currencies": [
    ["pay", { ...SOME, currency: "GBP" }],
    ["pay", SOME],
  ],
  "Mail inside only": [
    ["send_mail", { to: "a@other.example" }],
    ["send_mail", { to: "a@example.com" }],
  ],
  "No mass mail": [
    ["send_mail", { to: "abcd" }],
    ["send_mail", { to: "abc" }],
  ],
  "No attachments": [
    ["send_mail", { to: "a", attachment: "b" }],
    ["send_mail", { to: "a" }],
  ],
  "Nothing at night": [
    ["pay", SOME, { now: NIGHT }],
    ["pay", SOME, { now: NOON }],
  ],
  "No deployments on Friday": [
    ["deploy", { target: "x" }, { now: FRIDAY }],
    ["deploy", { target: "x" }, { now: NOON }],
  ],
  "Production needs Ada": [
    ["deploy", { target: "production" }],
    ["deploy", { target: "staging" }],
  ],
  "Nobody deletes": [
    ["delete_customer", { id: "x" }],
    ["pay", SOME],
  ],
  "Customers are not deleted": [
    ["delete_customer", { id: "cus_1" }],
    ["delete_customer", { id: "doc_1" }],
  ],
  "MCP clients only read": [
    ["pay", SOME, { path: "mcp" }],
    ["pay", SOME],
  ],
  "Bob asks first": [
    ["pay", SOME, { user: "bob@example.com" }],
    ["pay", SOME],
  ],
  "Answers within the hour": [
    ["refund", { amount: 1 }],
    ["pay", SOME],
  ],
  "Nothing out after a page": [
    ["pay", SOME, { seen: ["untrusted"] }],
    ["pay", SOME],
  ],
  "The mail capability asks": [
    ["send_mail", { to: "a" }],
    ["pay", SOME],
  ],
  "Allowed until the audit": [
    ["refund", { amount: 1 }, { now: new Date("2019-01-01") }],
    ["refund", { amount: 1 }],
  ],
};

test("there are twenty, and each is tried", () => {
  expect(written.map(({ name }) => name)).toEqual(Object.keys(CALLS));
  expect(written).toHaveLength(20);
});

test.each(written)("$name: saved as written, it matches what it says and nothing else", async (rule) => {
  const made = await server.call("POST", "/v1/rules", rule);
  expect(made).toMatchObject({ status: 201, body: { name: rule.name } });
  await server.call("DELETE", `/v1/rules/${made.body.id}`);
  const { then: effect, expires_at: expires, ...rest } = made.body;
  const saved: Rule = {
    ...rest,
    effect,
    ask: rest.ask ?? undefined,
    ...(expires && { expiresAt: new Date(expires) }),
  };
  const set = createRuleSet([{ ...saved, agentId: undefined, words: undefined }], compileCel, {
    defaults: [],
  });
  const [meant, other] = CALLS[rule.name] ?? [];
  expect([meant, other].map((call) => call && set.decide(callOf(call))?.effect)).toEqual([effect, undefined]);
});

test("a rule on the page decides in the gate too", async () => {
  const rule = written.find(({ name }) => name === "Our currencies");
  await server.call("POST", "/v1/rules", rule);
  const check = async (currency: string) =>
    (
      await server.call("POST", "/v1/rules/check", {
        agent_id: agent,
        tool: "pay",
        input: { ...SOME, currency },
      })
    ).body.decision;
  expect([await check("GBP"), await check("EUR")]).toEqual(["deny", "allow"]);
});

const callOf = ([name, args, more]: Call): RuleCall => ({
  tool: name,
  ownName: name,
  capabilityId: name === "send_mail" ? "mail" : "shop",
  risk: name === "delete_customer" ? "irreversible" : "write",
  flow: { reads: [], writes: ["external"], usesSecrets: false, reachesAnyAddress: false },
  args,
  user: "ann@example.com",
  agentId: agent,
  path: "loop",
  seen: [],
  scopes: [],
  connections: [],
  groups: [],
  counts: new Map(),
  now: NOON,
  ...more,
});
