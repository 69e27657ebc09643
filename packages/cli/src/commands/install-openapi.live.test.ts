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

const HARBOUR_YAML = () => `openapi: 3.1.0
info: { title: Harbour Lights, version: 1.0.0 }
servers: [{ url: "${origin}" }]
paths:
  /lights:
    get: { operationId: listLights, summary: List the lights, responses: { 200: { description: Lights. } } }
`;

const post = async (path: string, type: string, body: string) => {
  const response = await fetch(`${server.url}${path}`, {
    method: "POST",
    headers: { "content-type": type },
    body,
  });
  return { status: response.status, body: await response.json() };
};

test.each(["application/yaml", "text/yaml", "text/plain", "application/openapi+yaml"])(
  "an OpenAPI document is reviewed as %s; the review names the hosts it calls",
  async (type) => {
    const { status, body } = await post("/v1/packages/review?name=lights.yaml", type, HARBOUR_YAML());
    expect({ status, hosts: body.hosts, tools: body.tools?.length }).toEqual({
      status: 200,
      hosts: [new URL(origin).host],
      tools: 1,
    });
  },
);

test("a document posted as YAML is installed by its reviewed hash, and not without", async () => {
  const { body: review } = await post("/v1/packages/review", "application/yaml", HARBOUR_YAML());
  const refused = await post("/v1/packages", "application/yaml", HARBOUR_YAML());
  const done = await post(`/v1/packages?sha256=${review.sha256}`, "application/yaml", HARBOUR_YAML());
  expect([refused.body.code, done.status, done.body.description?.capability]).toEqual([
    "package_review_needed",
    201,
    review.capability,
  ]);
});

test("a declarative capability is registered as YAML; an OpenAPI document is told where to go", async () => {
  const yaml = `id: lamp\nname: Lamp\ndescription: Switch the lamp.\nbase_url: ${origin}\ntools:\n  - { name: lamp_state, description: The state, method: GET, path: /lamp }\n`;
  const made = await post("/v1/capabilities", "application/yaml", yaml);
  const wrong = await post("/v1/capabilities", "text/plain", HARBOUR_YAML());
  const broken = await post("/v1/capabilities", "application/yaml", "id: [");
  expect([made.status, made.body.id, wrong.status, broken.status]).toEqual([201, "lamp", 422, 422]);
  expect(wrong.body.message).toMatch(/capstan install/);
});

test("a query for YAML beside a JSON body is refused, not ignored", async () => {
  const { status, body } = await post("/v1/packages?yes=true", "application/json", '{"source":"x"}');
  expect([status, body.code]).toEqual([422, "input_invalid"]);
});
