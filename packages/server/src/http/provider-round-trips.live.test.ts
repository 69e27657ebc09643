/** Providers hold secrets that GET never answers: a provider that is sent back keeps them, and nothing else gets them. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freshPglite } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";

// biome-ignore lint/suspicious/noExplicitAny: rows are read field by field
type Row = any;
const SECRET = "s3cret-of-the-operator";
let server: TestServer;
beforeAll(async () => {
  server = await testServer(await freshPglite(), {
    OPENAI_API_KEY: SECRET,
    CAPSTAN_CONNECTION_CLIENTS: JSON.stringify({
      github: { client_id: "from-environment", client_secret: SECRET },
    }),
  });
});
afterAll(async () => server?.stop());

const audited = async (): Promise<number | undefined> =>
  (await server.call("GET", "/v1/audit?limit=1")).body.items[0]?.id;
const listed = async (list: string, id: string): Promise<Row> => {
  const { body } = await server.call("GET", list);
  expect(JSON.stringify(body)).not.toContain(SECRET);
  return body.items.find((row: Row) => (row.id ?? row.provider) === id);
};

describe.each([
  ["/v1/connection-providers", "github"],
  ["/v1/connection-providers", "google"],
  ["/v1/providers", "openai"],
  ["/v1/providers", "anthropic"],
])("%s/%s, which nobody has set here", (list, id) => {
  test("sent back as it was read changes nothing: what is from the environment stays from there", async () => {
    const [first, before] = [await listed(list, id), await audited()];
    const same = await server.call("PUT", `${list}/${id}`, first);
    expect(same, JSON.stringify(same.body)).toMatchObject({ status: 200, body: first });
    expect(await listed(list, id)).toEqual(first);
    expect(await audited()).toBe(before);
  });
});

describe.each([
  [
    "/v1/connection-providers/pier",
    "client_secret",
    {
      client_id: "mine",
      hosts: ["api.pier.example"],
      authorization_url: "https://pier.example/authorize",
      token_url: "https://pier.example/token",
    },
  ],
  ["/v1/providers/groq", "api_key", { check: false }],
])("%s", (path, field, settings) => {
  const [list = "", id = ""] = [path.slice(0, path.lastIndexOf("/")), path.slice(path.lastIndexOf("/") + 1)];

  test("refuses the word for a sealed value where none is sealed", async () => {
    const refused = await server.call("PUT", path, { ...settings, [field]: "[sealed]" });
    expect(refused).toMatchObject({
      status: 422,
      body: { message: expect.stringContaining(`${field}: the value is needed`) },
    });
  });

  test("keeps its secret when the word for it, or nothing, is sent; and never answers it", async () => {
    const made = await server.call("PUT", path, { ...settings, [field]: SECRET });
    expect(made.status, JSON.stringify(made.body)).toBe(200);
    expect(JSON.stringify(made.body)).not.toContain(SECRET);
    const first = await listed(list, id);
    const before = await audited();
    for (const more of [{}, { [field]: "[sealed]" }]) {
      const same = await server.call("PUT", path, { ...first, ...more });
      expect(same, JSON.stringify(same.body)).toMatchObject({ status: 200, body: first });
    }
    expect(await listed(list, id)).toEqual(first);
    expect(await audited()).toBe(before);
  });

  test.each([null, "", 5, ["a"]])("refuses %j as a secret", async (value) => {
    expect((await server.call("PUT", path, { ...settings, [field]: value })).status).toBe(422);
  });
});

test("a provider of the table keeps its own addresses: others are refused, and nothing changes", async () => {
  const path = "/v1/connection-providers/microsoft";
  await server.call("PUT", path, { client_id: "mine", client_secret: SECRET });
  const first = await listed("/v1/connection-providers", "microsoft");
  for (const edit of [{ hosts: ["evil.example"] }, { token_url: "https://evil.example/token" }]) {
    const refused = await server.call("PUT", path, { ...first, ...edit });
    expect(refused).toMatchObject({
      status: 422,
      body: { message: expect.stringContaining("is fixed for microsoft") },
    });
  }
  expect(await listed("/v1/connection-providers", "microsoft")).toEqual(first);
  const moved = await server.call("PUT", path, { ...first, tenant: "pier.example" });
  expect(moved.body).toMatchObject({ tenant: "pier.example", has_secret: true });
  expect(moved.body.token_url).toContain("/pier.example/");
});

test("an edited host takes the secret away, as it does when nothing else is sent", async () => {
  const path = "/v1/connection-providers/quay";
  const body = {
    client_id: "mine",
    client_secret: SECRET,
    hosts: ["api.quay.example"],
    authorization_url: "https://quay.example/authorize",
    token_url: "https://quay.example/token",
  };
  const { body: first } = await server.call("PUT", path, body);
  expect(first.has_secret).toBe(true);
  const moved = await server.call("PUT", path, {
    ...first,
    hosts: ["evil.example"],
    client_secret: "[sealed]",
  });
  expect(moved.body).toMatchObject({ hosts: ["evil.example"], has_secret: false });
});

test("a provider of models takes no saved key to another address, also when it was read and edited", async () => {
  await server.call("PUT", "/v1/providers/mistral", { api_key: SECRET, check: false });
  const first = await listed("/v1/providers", "mistral");
  const moved = { ...first, base_url: "http://127.0.0.1:1/v1", api_key: "[sealed]", check: false };
  expect(await server.call("PUT", "/v1/providers/mistral", moved)).toMatchObject({ status: 422 });
  expect(await listed("/v1/providers", "mistral")).toEqual(first);
});

test("a provider that was read is no provider of another id", async () => {
  const first = await listed("/v1/connection-providers", "microsoft");
  const refused = await server.call("PUT", "/v1/connection-providers/other", first);
  expect(refused).toMatchObject({
    status: 422,
    body: { message: expect.stringContaining("id: set by the server") },
  });
});
