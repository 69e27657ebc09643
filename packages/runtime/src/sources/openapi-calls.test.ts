import { type GuardedFetchOptions, memoryFileStore, ok, type Result, type ToolContext } from "@capstan/core";
import { describe, expect, test } from "vitest";
import { PETS } from "./fixtures/pet-store.ts";
import { loadOpenApi, type OpenApiOptions } from "./openapi.ts";

describe("an operation", () => {
  test("is called with arguments in their places and the key in its header", async () => {
    const { seen, result } = await call("pets_list", {
      tag: ["a", "b"],
      filter: { size: "big" },
      "X-Trace": "t",
    });
    expect(seen?.url).toBe("https://eu.pets.example/v2/pets?tag=a&tag=b&filter%5Bsize%5D=big");
    expect(seen?.headers).toMatchObject({ "x-trace": "t" });
    expect(seen?.headers).not.toHaveProperty("x-api-key");
    expect(result).toEqual(ok({ status: 200, body: { fine: true } }));
    const one = await call("pets_get-one", { petId: 7 }, { KEY: "secret-key", region: "us" });
    expect(one.seen).toMatchObject({
      url: "https://us.pets.example/v2/pets/7",
      headers: { "x-api-key": "secret-key" },
    });
  });

  test("uses the first authentication whose secrets are set, and names what is missing", async () => {
    const second = await call("pets_delete", { petId: 1 }, { KEY: "secret-key" });
    expect(second.seen?.headers).toMatchObject({ "x-api-key": "secret-key" });
    const first = await call("pets_delete", { petId: 1 }, { KEY: "secret-key", OAUTH: "token-1" });
    expect(first.seen?.headers).toMatchObject({ authorization: "Bearer token-1" });
    expect(first.seen?.headers).not.toHaveProperty("x-api-key");
    const none = await call("pets_delete", { petId: 1 }, {});
    expect(none.seen).toBeUndefined();
    expect(none.result).toMatchObject({ failure: { code: "secret_missing" } });
  });

  test("sends JSON, forms, files and whole bodies", async () => {
    const config = { KEY: "secret-key" };
    const put = await call("pets_replace", { petId: 1, name: "Tom", body_petId: "x" }, config);
    expect(put.seen).toMatchObject({ method: "PUT", body: '{"name":"Tom","petId":"x"}' });
    const form = await call("post_pets", { name: "Tom & Co", owner: { name: "Ann" } }, config);
    expect(form.seen).toMatchObject({
      body: "name=Tom+%26+Co&owner%5Bname%5D=Ann",
      headers: { "content-type": "application/x-www-form-urlencoded" },
    });
    const file = await call("photo", { petId: "1", picture: "/pictures/tom.png", note: "him" }, config);
    const sent = Buffer.from(file.seen?.body as Uint8Array).toString();
    expect(sent).toContain('name="picture"; filename="tom.png"\r\n\r\nPNG');
    expect(sent).toContain('name="note"\r\n\r\nhim');
    const whole = await call("choice", { body: "text" }, config);
    expect(whole.seen).toMatchObject({ body: '"text"', headers: { "content-type": "application/json" } });
  });

  test.each([
    ["https://user:pw@evil.example", "url_invalid"],
    ["eu.evil.example/x", "server_value_missing"],
    ["eu@evil.example", "server_value_missing"],
  ])("cannot be redirected by a server value such as %j", async (region, code) => {
    const servers = region.startsWith("http")
      ? [{ url: "{region}" }]
      : [{ url: "https://{region}.pets.example" }];
    const { seen, result } = await call("pets_list", {}, { region }, { ...PETS, servers });
    expect(seen).toBeUndefined();
    expect(result).toMatchObject({ failure: { code } });
  });

  test.each([
    ["/v3", { origin: "https://docs.pets.example/openapi.json" }, {}, "https://docs.pets.example/v3/pets"],
    ["/v3", {}, { BASE_URL: "https://own.example/api/" }, "https://own.example/api/pets"],
    ["https://x.example", { server: "https://staging.example" }, {}, "https://staging.example/pets"],
  ])("with the server %j, options %j and config %j calls %s", async (url, options, config, expected) => {
    const { seen } = await call("pets_list", {}, config, { ...PETS, servers: [{ url }] }, options);
    expect(seen?.url).toBe(expected);
  });

  test("gets the call's idempotency key everywhere, or only where its document declares one", async () => {
    const config = { KEY: "secret-key" };
    const usual = await call("pets_replace", { petId: 1, name: "Tom" }, config);
    expect(usual.seen?.headers).toMatchObject({ "idempotency-key": "call-1" });
    const pay = {
      operationId: "pay",
      parameters: [{ name: "Idempotency-Key", in: "header", schema: { type: "string" } }],
      responses: {},
    };
    const declaring = { ...PETS, paths: { ...PETS.paths, "/pay": { post: pay } } };
    const paid = await call("pay", {}, config, declaring);
    expect(paid.seen?.headers).toMatchObject({ "idempotency-key": "call-1" });
    const other = await call("pets_replace", { petId: 1, name: "Tom" }, config, declaring);
    expect(other.seen?.headers).not.toHaveProperty("idempotency-key");
  });

  test("of a document without security schemes can still use the header", async () => {
    const open = {
      ...PETS,
      security: undefined,
      components: { parameters: PETS.components.parameters, schemas: PETS.components.schemas },
    };
    const without = await call("pets_list", {}, {}, open);
    expect(without.seen?.headers).not.toHaveProperty("authorization");
    const given = await call("pets_list", {}, { AUTHORIZATION: "Bearer abc-def" }, open);
    expect(given.seen?.headers).toMatchObject({ authorization: "Bearer abc-def" });
  });
});

function tool(name: string, document: unknown, options?: OpenApiOptions) {
  const loaded = loadOpenApi(JSON.stringify(document), options);
  const found = loaded.ok ? loaded.value.tools.find((candidate) => candidate.name === name) : undefined;
  if (!found) throw new Error(`no tool ${name}`);
  return found;
}

async function call(
  name: string,
  input: Record<string, unknown>,
  config: Record<string, unknown> = {},
  document: unknown = PETS,
  options?: OpenApiOptions,
) {
  let seen: ({ url: string } & GuardedFetchOptions) | undefined;
  const found = tool(name, document, options);
  const parsed = found.input.parse(input);
  if (!parsed.ok) throw new Error(parsed.where);
  const fileStore = memoryFileStore();
  await fileStore.write("/pictures/tom.png", Buffer.from("PNG"));
  const context = {
    config: { region: "eu", ...config },
    fileStore,
    idempotencyKey: "call-1",
    signal: new AbortController().signal,
    async fetch(url: string, fetchOptions: GuardedFetchOptions = {}) {
      seen = { url, ...fetchOptions };
      return ok(Response.json({ fine: true }));
    },
  } as unknown as ToolContext;
  const result: Result<unknown> = await found.run(parsed.value, context);
  return { seen, result };
}
