import { existsSync, readdirSync, readFileSync } from "node:fs";
import {
  type Capability,
  type GuardedFetchOptions,
  memoryFileStore,
  ok,
  type Result,
  type ToolContext,
} from "@capstan/core";
import { describe, expect, test } from "vitest";
import { type DeclarativeOptions, loadDeclarative } from "./declarative.ts";
import { declarativeJsonSchema } from "./declarative-document.ts";

const ROOT = new URL("../../../../", import.meta.url);

const SHOP = `
id: shop
name: Shop
description: Orders of the shop.
version: 2.1.0
icon: cart
category: Business
prompt: |
  Orders have numbers such as A-17.
scopes: [Shop.Read]
triggers: [where is my order, list orders]
tags: [orders]
domain: commerce
actions: [search, cancel]
chat_patterns: ["order [A-Z]-[0-9]+"]
base_url: https://api.shop.example/v2
headers:
  Authorization: Bearer \${SHOP_KEY}
query:
  locale: en
config:
  SHOP_KEY: { type: string, secret: true, description: The key of the shop. }
  PAGE: { type: integer, default: 20 }
tools:
  - name: get_order
    description: One order by its number.
    path: /orders/{number}
    parameters:
      number: { type: string, description: Such as A-17. }
      fields: { type: array, items: { type: string } }
    pick: /order
  - name: create_order
    description: Orders something.
    method: POST
    path: /orders
    scopes: [Shop.Write]
    timeout_seconds: 5
    parameters:
      item: { type: string, required: true }
      count: { type: integer, default: 1, minimum: 1 }
      trace: { type: string, in: header, name: X-Trace }
  - name: cancel_order
    description: Cancels an order.
    method: DELETE
    path: /orders/{number}
    parameters:
      number: { type: string }
documentation:
  usage: Ask for orders.
`;

describe("a declarative document", () => {
  test("is a capability: prompt, tools, rights and routing", () => {
    expect(load(SHOP)).toMatchObject({
      id: "shop",
      version: "2.1.0",
      source: "declarative",
      status: "available",
      risk: "medium",
      systemPrompt: "Orders have numbers such as A-17.",
      requiredScopes: ["Shop.Read"],
      routing: {
        triggers: ["where is my order", "list orders"],
        domain: "commerce",
        chatPatterns: ["order [A-Z]-[0-9]+"],
        allow: { hosts: ["api.shop.example"] },
      },
      tools: [
        { name: "get_order", policy: "auto", idempotent: true, timeoutMs: 30_000, scopes: [] },
        { name: "create_order", policy: "auto", idempotent: false, timeoutMs: 5_000, scopes: ["Shop.Write"] },
        { name: "cancel_order", policy: "approve", idempotent: true },
      ],
    });
  });

  test("may be JSON", () => {
    const json = JSON.stringify({
      id: "note",
      name: "Note",
      description: "A prompt only.",
      prompt: "Be brief.",
    });
    expect(load(json)).toMatchObject({ id: "note", version: "1.0.0", risk: "low", tools: [] });
  });

  test("shows the model only its own parameters, and marks secrets in the config", () => {
    const shop = load(SHOP);
    expect(shop.tools[0]?.input.jsonSchema).toEqual({
      type: "object",
      properties: {
        number: { type: "string", description: "Such as A-17." },
        fields: { type: "array", items: { type: "string" } },
      },
      required: ["number"],
      additionalProperties: false,
    });
    expect(shop.config?.jsonSchema).toMatchObject({ properties: { SHOP_KEY: { writeOnly: true } } });
    expect(shop.config?.parse({})).toEqual({ ok: true, value: { PAGE: 20 } });
    expect(JSON.stringify(shop)).not.toContain("${");
  });

  test.each([
    ["id: Bad Id", "id must be 1 to 50 characters"],
    ["name: ''", "name must not be empty"],
    ["version: one", "version must be a version such as 1.0.0"],
    ["colour: red", 'unknown field "colour"'],
    ["promt: red", 'unknown field "promt", did you mean "prompt"?'],
    ["__proto__: {policy: auto}", 'has a key "__proto__"'],
    ["---\nid: second", "has several documents"],
    ["risk: wild", "risk: expected one of"],
    ["tools: [{name: 'a b', description: d, path: /}]", "tools[0].name must be 1 to 64 characters"],
    ["tools: [{name: a, description: d, path: x}]", "tools[0].path must start with /"],
    ["tools: [{name: a, description: d, path: '/{x}'}]", "tools[0].path names {x}, which is not a parameter"],
    [
      "tools: [{name: a, description: d, path: /, parameters: {x: {type: strin}}}]",
      "tools[0].parameters.x.type: expected one of",
    ],
    [
      "tools: [{name: a, description: d, path: /, parameters: {x: {type: string, in: path}}}]",
      "tools[0].parameters.x is in the path, which does not name it",
    ],
    [
      "tools: [{name: a, description: d, path: /, parameters: {x: {type: string, requird: true}}}]",
      "requird",
    ],
    [
      "tools: [{name: a, description: d, path: /, parameters: {x: {type: array, items: {$ref: 'http://x'}}}}]",
      "tools[0].parameters: The JSON Schema cannot be used",
    ],
    [
      "tools: [{name: a, description: d, path: /}, {name: a, description: d, path: /}]",
      'tools[1].name: "a" is used twice',
    ],
    [`headers: {A: 'Bearer \${my key}'}`, `headers.A contains \${my key}`],
    ["base_url: ftp://x", "base_url must be an address"],
    ["base_url: https://user:pass@x.example", "base_url must not contain a password"],
    ["id: [", "cannot be read"],
    ["id: a\nid: b", "cannot be read"],
  ])("with %j is refused with its path", (line, says) => {
    const key = line.slice(0, line.indexOf(":"));
    const base = {
      id: "id: x",
      name: "name: X",
      description: "description: X.",
      base_url: "base_url: https://x.example",
    };
    const lines = Object.entries(base).filter(([name]) => name !== key);
    const result = loadDeclarative([...lines.map(([, text]) => text), line].join("\n"));
    expect(result).toMatchObject({ ok: false, failure: { code: "document_invalid", status: 422 } });
    expect(result.ok ? "" : result.failure.message).toContain(says);
  });

  test("reports all faults at once, each with its path", () => {
    const result = loadDeclarative(
      "id: BAD\nname: X\nversion: x\ntools: [{name: a, description: d, path: /}]",
    );
    const paths = result.ok ? [] : (result.failure.details as { path: string }[]).map(({ path }) => path);
    expect(paths.sort()).toEqual(["description", "id", "version"]);
  });

  test.each([
    [
      "exponential aliases",
      `a: &a [x,x,x,x,x,x,x,x,x,x]\n${Array.from({ length: 8 }, (_, at) => `b${at}: &b${at} [${Array(10).fill(at === 0 ? "*a" : `*b${at - 1}`)}]`).join("\n")}`,
    ],
    ["a megabyte of text", "x".repeat(1_000_001)],
    ["another type", "- 1"],
    ["nothing", ""],
  ])("of %s is refused", (_, text) => {
    expect(loadDeclarative(text)).toMatchObject({ failure: { code: "document_invalid" } });
  });
});

describe("a declarative tool", () => {
  test("calls its server with arguments in their places, and returns the requested part", async () => {
    const { seen, result } = await call(
      "get_order",
      { number: "A 1/7", fields: ["a", "b"] },
      json({ order: { id: 7 } }),
    );
    expect(seen).toMatchObject({
      url: "https://api.shop.example/v2/orders/A%201%2F7?locale=en&fields=a&fields=b",
      method: "GET",
      headers: { authorization: "Bearer key-of-the-shop" },
      redirects: "refuse",
    });
    expect(result).toEqual(ok({ id: 7 }));
  });

  test("sends a JSON body with defaults, headers, and the call's idempotency key", async () => {
    const { seen, result } = await call(
      "create_order",
      { item: "tea", trace: "t1" },
      json({ id: 8 }, 201, { location: "/orders/8" }),
    );
    expect(seen).toMatchObject({
      url: "https://api.shop.example/v2/orders?locale=en",
      method: "POST",
      body: '{"item":"tea","count":1}',
      headers: { "content-type": "application/json", "x-trace": "t1", "idempotency-key": "call-1" },
    });
    expect(result).toEqual(ok({ status: 201, headers: { location: "/orders/8" }, body: { id: 8 } }));
  });

  test("leaves the idempotency key out where the document sets it to nothing", async () => {
    const document = SHOP.replace("scopes: [Shop.Write]", 'headers: { Idempotency-Key: "" }');
    const { seen } = await call("create_order", { item: "tea" }, json({ id: 8 }), {}, undefined, document);
    expect(seen?.headers).not.toHaveProperty("idempotency-key");
  });

  test.each(["..", ".", ""])("refuses %j as a path segment", async (number) => {
    const { seen, result } = await call("get_order", { number }, json({}));
    expect(seen).toBeUndefined();
    expect(result).toMatchObject({ failure: { code: "input_invalid" } });
  });

  test("refuses a line break in a header", async () => {
    const { result } = await call("create_order", { item: "tea", trace: "a\r\nHost: evil" }, json({}));
    expect(result).toMatchObject({ failure: { code: "input_invalid" } });
  });

  test("finds a secret in the agent's config first, then in the server's settings", async () => {
    const settings = (name: string) => (name === "SHOP_KEY" ? "key-from-settings" : undefined);
    const own = await call("get_order", { number: "1" }, json({}), { settings });
    expect(own.seen?.headers).toMatchObject({ authorization: "Bearer key-of-the-shop" });
    const shared = await call("get_order", { number: "1" }, json({}), { settings }, {});
    expect(shared.seen?.headers).toMatchObject({ authorization: "Bearer key-from-settings" });
  });

  test("without its secret makes no call and names the secret to set", async () => {
    const { seen, result } = await call("get_order", { number: "1" }, json({}), {}, {});
    expect(seen).toBeUndefined();
    expect(result).toMatchObject({
      failure: { code: "secret_missing", nextStep: expect.stringContaining("SHOP_KEY") },
    });
  });

  test.each([
    ["an answer", json({ order: { you_sent: "Bearer key-of-the-shop" } })],
    ["an error", json({ error: "bad key key-of-the-shop" }, 401)],
    [
      "its encoded form",
      json({
        order: {
          url: "https://x.example/?k=key-of-the-shop",
          b64: Buffer.from("key-of-the-shop").toString("base64"),
        },
      }),
    ],
  ])("never shows a secret that was returned in %s", async (_, answer) => {
    const { result } = await call("get_order", { number: "1" }, answer);
    const shown = JSON.stringify(result);
    expect(shown).not.toContain("key-of-the-shop");
    expect(shown).not.toContain(Buffer.from("key-of-the-shop").toString("base64"));
    expect(shown).toContain("[secret]");
  });

  test.each([
    [401, "key"],
    [404, "check the ids"],
    [429, "wait"],
    [500, "try again later"],
    [422, "Correct the arguments"],
  ])("returns %i as a failure with the next step", async (status, step) => {
    const { result } = await call("get_order", { number: "1" }, json({ error: "no such order" }, status));
    expect(result).toMatchObject({ failure: { code: "service_refused", details: { status } } });
    expect(result.ok ? "" : result.failure.message).toContain("no such order");
    expect(result.ok ? "" : result.failure.nextStep).toContain(step);
  });

  test.each([
    ["text", new Response("hello", { headers: { "content-type": "text/plain" } }), "hello"],
    [
      "invalid JSON declared as JSON",
      new Response("{oops", { headers: { "content-type": "application/json" } }),
      "{oops",
    ],
    ["nothing", new Response(null, { status: 204 }), null],
    [
      "bytes",
      new Response(new Uint8Array(5), { headers: { "content-type": "image/png" } }),
      { content_type: "image/png", size_bytes: 5, note: expect.any(String) },
    ],
  ])("returns %s unchanged", async (_, answer, body) => {
    const { result } = await call("create_order", { item: "tea" }, answer);
    expect(result).toMatchObject({ ok: true, value: { body } });
  });
});

describe("what ships with the format", () => {
  const folder = new URL("examples/declarative/", ROOT);
  const examples = readdirSync(folder).filter((name) => name.endsWith(".yaml"));
  test.each(examples)("the example %s loads", (name) => {
    expect(load(readFileSync(new URL(name, folder), "utf8")).tools.length).toBeGreaterThan(0);
  });

  test("the JSON Schema in docs is up to date", () => {
    const file = new URL("docs/schemas/capability.schema.json", ROOT);
    expect(existsSync(file) && JSON.parse(readFileSync(file, "utf8"))).toEqual(
      JSON.parse(JSON.stringify(declarativeJsonSchema())),
    );
  });
});

function load(text: string, options?: DeclarativeOptions): Capability {
  const result = loadDeclarative(text, options);
  if (!result.ok) throw new Error(result.failure.message);
  return result.value;
}

function json(value: unknown, status = 200, headers = {}): Response {
  return Response.json(value, { status, headers });
}

async function call(
  name: string,
  given: Record<string, unknown>,
  answer: Response,
  options: DeclarativeOptions = {},
  config: unknown = { SHOP_KEY: "key-of-the-shop" },
  document = SHOP,
) {
  let seen: ({ url: string } & GuardedFetchOptions) | undefined;
  const tool = load(document, options).tools.find((candidate) => candidate.name === name);
  const parsed = tool?.input.parse(given);
  if (!tool || !parsed?.ok) throw new Error(`bad input: ${JSON.stringify(parsed)}`);
  const context = {
    config,
    fileStore: memoryFileStore(),
    idempotencyKey: "call-1",
    signal: new AbortController().signal,
    async fetch(url: string, fetchOptions: GuardedFetchOptions = {}) {
      seen = { url, ...fetchOptions };
      return ok(answer);
    },
  } as unknown as ToolContext;
  const result: Result<unknown> = await tool.run(parsed.value, context);
  return { seen, result };
}
