/** An OpenAPI document, from the command line and over REST, as one capability with a tool for each of its operations. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { typeCommand } from "../../../../tools/command-under-test.ts";
import { freshPglite } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";

const OPERATIONS = 400;
const folder = mkdtempSync(join(tmpdir(), "capstan-openapi-"));
const asked: string[] = [];
let api: Server;
let origin: string;
let server: TestServer;

beforeAll(async () => {
  api = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    response.setHeader("content-type", "application/json");
    response.end(request.url === "/openapi.json" ? documentText() : '{"boats":["Selkie"]}');
  });
  await new Promise<void>((resolve) => api.listen(0, "127.0.0.1", resolve));
  const { port } = api.address() as AddressInfo;
  origin = `http://127.0.0.1:${port}`;
  server = await testServer(await freshPglite(), { CAPSTAN_ALLOW_HOSTS: `127.0.0.1:${port}` });
});
afterAll(async () => {
  await server.stop();
  api.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Larger than any other request may be: real ones are. */
function documentText(): string {
  const operation = (at: number) => ({
    get: {
      operationId: `boats/list-pier-${at}`,
      summary: `List the boats of pier ${at}`,
      description: "Which boats lie there. ".repeat(600),
      parameters: [{ name: "flag", in: "query", schema: { type: "string" } }],
      responses: { 200: { description: "Boats." } },
    },
  });
  return JSON.stringify({
    openapi: "3.1.0",
    info: { title: "Harbour Boats", version: "2.0.0" },
    servers: [{ url: origin }],
    paths: Object.fromEntries(
      Array.from({ length: OPERATIONS }, (_, at) => [`/piers/${at}/boats`, operation(at)]),
    ),
  });
}

const file = () => {
  const path = join(folder, "harbour.json");
  writeFileSync(path, documentText());
  return path;
};

test.each([
  ["a file", file],
  ["an address", () => `${origin}/openapi.json`],
])(
  "%s becomes one capability; one of its tools is found by a task, called, and removed when uninstalled",
  async (_, source) => {
    expect(documentText().length).toBeGreaterThan(5_000_000);
    const seen = await typeCommand(server.url, ["install", source(), "--yes", "--json"]);
    expect([seen.code, seen.err]).toEqual([0, ""]);
    const { name } = JSON.parse(seen.out);
    const { body } = await server.call("GET", `/v1/capabilities/${name}`);
    expect(body.tools).toHaveLength(OPERATIONS);
    const task = await server.call("POST", "/api/execute-task", { task: "list the boats of pier 7" });
    expect(task.body).toMatchObject({ intent: { label: name }, status: "ok" });
    expect(JSON.stringify(task.body.execution.steps[0].data)).toContain("Selkie");
    expect(asked.at(-1)).toBe("GET /piers/7/boats");
    expect((await typeCommand(server.url, ["uninstall", name])).code).toBe(0);
    expect((await server.call("GET", `/v1/capabilities/${name}`)).status).toBe(404);
  },
);

test("an invalid document is refused with what is wrong", async () => {
  const path = join(folder, "none.json");
  writeFileSync(path, '{"hello":"world"}');
  const seen = await typeCommand(server.url, ["install", path, "--yes"]);
  expect(seen.code).toBe(1);
  expect(seen.err).toMatch(/OpenAPI/);
});
