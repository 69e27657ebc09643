import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { operationsOf, requests } from "../../../tools/fuzz-openapi.ts";
import { freshPglite } from "../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../tools/test-server.ts";

const CASES = 10_000;
/** Streams that do not end by themselves, and what would reach out or start programs. */
const LEFT_OUT = /\/(events|ag-ui|runs|doctor|services|packages|mcp|a2a)(\/|$)/;

describe("random requests to every route", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await testServer(await freshPglite(), { CAPSTAN_RATE_LIMIT_PER_MINUTE: "100000000" });
  });
  afterAll(() => server.stop());

  test(`${CASES} of them never give a 500, and every error has the one shape`, {
    timeout: 240_000,
  }, async () => {
    const document = (await server.call("GET", "/openapi.json")).body;
    const agent = await server.call("POST", "/v1/agents", { name: "Known", capabilities: ["test_math"] });
    const session = await server.call("POST", "/v1/sessions", { agent_id: agent.body.id });
    const operations = operationsOf(document).filter(({ path }) => !LEFT_OUT.test(path));
    expect(operations.length).toBeGreaterThan(20);
    await fc.assert(
      fc.asyncProperty(
        requests(operations, [agent.body.id, session.body.id, "test_math", "add"]),
        async ({ method, url, body }) => {
          const request = new Request(url, {
            method,
            headers: { host: "127.0.0.1", "content-type": "application/json" },
            ...(body !== undefined && { body }),
          });
          const response = await server.fetch(request);
          const text = await response.text();
          if (
            response.status >= 500 &&
            response.status !== 502 &&
            response.status !== 503 &&
            response.status !== 504
          )
            throw new Error(`${method} ${url} ${body}: ${response.status} ${text}`);
          if (response.status >= 400)
            expect(JSON.parse(text)).toMatchObject({
              code: expect.any(String),
              message: expect.any(String),
              nextStep: expect.any(String),
            });
        },
      ),
      { numRuns: CASES },
    );
  });
});
