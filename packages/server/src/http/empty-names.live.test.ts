/** An empty text where a name is expected is what an unset variable leaves: taken for "none", it would mean everybody. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freshPglite } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";

interface Operation {
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
}

let server: TestServer;
let paths: Record<string, Record<string, Operation>>;
beforeAll(async () => {
  server = await testServer(await freshPglite());
  ({ paths } = (await server.call("GET", "/openapi.json")).body);
});
afterAll(() => server?.stop());

describe("an empty name is refused", () => {
  test("in every parameter of every query of /v1 but a search", async () => {
    const taken: string[] = [];
    let tried = 0;
    for (const [path, operations] of Object.entries(paths).filter(([at]) => at.startsWith("/v1/"))) {
      for (const [method, { parameters = [] }] of Object.entries(operations)) {
        for (const { name } of parameters.filter((each) => each.in === "query" && each.name !== "q")) {
          const address = `${path.replaceAll(/\{\w+\}/g, crypto.randomUUID())}?${name}=`;
          const { status } = await server.call(method.toUpperCase(), address);
          tried += 1;
          if (status !== 422) taken.push(`${method} ${address}: ${status}`);
        }
      }
    }
    expect(taken).toEqual([]);
    expect(tried).toBeGreaterThan(100);
  });

  test.each<[string, string, string, object]>([
    ["a secret's user", "PUT", "/v1/secrets/noop/TOKEN", { value: "x", user: "" }],
    ["a time zone", "POST", "/v1/schedules", { capability: "noop", cron: "0 9 * * *", timezone: "" }],
    ["a task's user", "POST", "/api/execute-task", { task: "add 1 and 2", context: { userId: "" } }],
  ])("%s", async (_what, method, path, body) => {
    expect(await server.call(method, path, body)).toMatchObject({
      status: 422,
      body: { code: "input_invalid", message: expect.stringContaining("must not be empty") },
    });
  });

  test("a search for nothing finds everything", async () => {
    const { body } = await server.call("GET", "/v1/capabilities?q=");
    expect(body).toEqual((await server.call("GET", "/v1/capabilities")).body);
  });
});
