/** Unknown paths and methods, and bodies of another type: to a program always a problem, never the studio's page. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freshPglite } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";

let server: TestServer;
beforeAll(async () => {
  server = await testServer(await freshPglite());
});
afterAll(async () => server?.stop());

const problemOf = async (method: string, path: string, init: RequestInit = {}) => {
  const response = await fetch(server.url + path, { method, headers: { accept: "*/*" }, ...init });
  expect(response.headers.get("content-type")).toBe("application/problem+json");
  return { status: response.status, allow: response.headers.get("allow"), body: await response.json() };
};

describe("an unknown path", () => {
  test.each([
    "/.well-known/openid-configuration",
    "/.well-known/nothing",
    "/nothing",
    "/v1",
    "/v1/nothing",
    "/mcp/nothing",
    "/nothing/at/all",
  ])("GET %s is a problem", async (path) => {
    expect(await problemOf("GET", path)).toMatchObject({ status: 404, body: { code: "not_found" } });
  });

  test("POST /nothing is a problem", async () => {
    expect(await problemOf("POST", "/nothing", { body: "{}" })).toMatchObject({ status: 404 });
  });

  test.each(["/v1/nothing", "/mcp/nothing", "/.well-known/nothing"])(
    "GET %s, which programs read, is a problem in a browser, too",
    async (path) => {
      const headers = { accept: "text/html" };
      expect(await problemOf("GET", path, { headers })).toMatchObject({ status: 404 });
    },
  );
});

describe("a method that a path does not support", () => {
  test.each([
    ["PUT", "/v1/agents", "GET, POST"],
    ["DELETE", "/v1/agents", "GET, POST"],
    ["POST", "/v1/status", "GET"],
    ["GET", "/v1/route", "POST"],
    ["PATCH", "/v1/approvals/abc", "GET, POST"],
  ])("%s %s is 405, and lists the allowed methods", async (method, path, allow) => {
    expect(await problemOf(method, path)).toMatchObject({
      status: 405,
      allow,
      body: { code: "method_not_allowed" },
    });
  });
});

describe("a body", () => {
  test("that is not JSON is 400", async () => {
    const headers = { "content-type": "application/json" };
    expect(await problemOf("POST", "/v1/agents", { headers, body: "{" })).toMatchObject({
      status: 400,
      body: { code: "body_invalid" },
    });
  });

  test("of another type is 415, and names the expected type", async () => {
    const headers = { "content-type": "text/plain" };
    expect(await problemOf("POST", "/v1/agents", { headers, body: '{"name": "A"}' })).toMatchObject({
      status: 415,
      body: { code: "media_type_unsupported", message: expect.stringContaining("text/plain") },
    });
  });

  test.each([
    ["POST", "/v1/triggers/x/retry", { run: 1 }],
    ["DELETE", "/v1/agents/x", { force: true }],
  ])("that %s %s does not accept is refused", async (method, path, body) => {
    expect(await server.call(method, path, body)).toMatchObject({ status: 422 });
  });
});
