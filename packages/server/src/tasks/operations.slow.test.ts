/** Five public APIs, installed as a user installs them: tasks find the operation, and the service gets the right request. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { staticEmbedding } from "@capstan/builtins";
import { createToolChooser, routeTier } from "@capstan/runtime";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { typeCommand } from "../../../../tools/command-under-test.ts";
import { packageFolder } from "../../../../tools/npm-package.ts";
import { freshPglite } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";
import { OPERATION_TASKS } from "./fixtures/operation-tasks.ts";

/** The known success count per document; fewer is a regression. */
const FOUND: Readonly<Record<string, number>> = {
  GitHub: 12,
  Stripe: 14,
  Kubernetes: 15,
  DigitalOcean: 14,
  Spotify: 14,
};

/** One read-only task per document, with the expected request. Writes require approval. */
const HEARD: Readonly<Record<string, readonly [task: string, request: string]>> = {
  GitHub: ["list the open issues of octocat/hello-world", "GET /repos/octocat/hello-world/issues"],
  Stripe: ["show customer cus_NffrFeUfNV2Hib", "GET /v1/customers/cus_NffrFeUfNV2Hib"],
  Kubernetes: [
    "show the log of pod web-0 in namespace default",
    "GET /api/v1/namespaces/default/pods/web-0/log",
  ],
  DigitalOcean: ["list the dns records of the domain example.com", "GET /v2/domains/example.com/records"],
  Spotify: ["list the tracks of album 4aawyAB9vmqN3uQ7FjRGTy", "GET /albums/4aawyAB9vmqN3uQ7FjRGTy/tracks"],
};

const SECRETS = [
  "AUTHORIZATION",
  "BASICAUTH_USER",
  "BASICAUTH_PASSWORD",
  "BEARERAUTH",
  "BEARERTOKEN",
  "BEARER_AUTH",
  "OAUTH_2_0",
];

/** The test's own work takes longer than a kept-alive connection; the first call after it may find it closed. */
const reconnect = () => server.call("GET", "/health").catch(() => undefined);

const folder = mkdtempSync(join(tmpdir(), "capstan-operations-"));
const heard: { request: string; authorization: string | undefined }[] = [];
let service: Server;
let origin: string;
let server: TestServer;
beforeAll(async () => {
  service = createServer((request, response) => {
    const [path] = (request.url ?? "").split("?");
    heard.push({ request: `${request.method} ${path}`, authorization: request.headers.authorization });
    response.setHeader("content-type", "application/json");
    response.end('{"answered":true}');
  });
  await new Promise<void>((resolve) => service.listen(0, "127.0.0.1", resolve));
  const host = `127.0.0.1:${(service.address() as AddressInfo).port}`;
  origin = `http://${host}`;
  const secrets = Object.fromEntries(SECRETS.map((name) => [`CAPSTAN_SECRET_${name}`, "a-test-secret"]));
  server = await testServer(await freshPglite(), {
    CAPSTAN_ALLOW_HOSTS: host,
    CAPSTAN_SECRET_HOSTS: SECRETS.map((name) => `${name}=${host}`).join(","),
    ...secrets,
  });
});
afterAll(async () => {
  await server.stop();
  service.close();
  rmSync(folder, { recursive: true, force: true });
});

describe.each(OPERATION_TASKS)("$api", ({ api, package: [name, version, file], tasks }) => {
  let label = "";

  test("is installed from its document", async () => {
    const text = readFileSync(join(await packageFolder(name, version), file), "utf8");
    const path = join(folder, `${api}.json`);
    writeFileSync(path, JSON.stringify(withServer(JSON.parse(text), origin)));
    const seen = await typeCommand(server.url, ["install", path, "--yes", "--json"]);
    expect([seen.code, seen.err]).toEqual([0, ""]);
    label = JSON.parse(seen.out).name;
  });

  test(`${FOUND[api]} of ${tasks.length} tasks or more find their operation`, async () => {
    const found = server.services.registry.get(label);
    if (!found.ok) throw new Error(found.failure.message);
    const choose = createToolChooser(
      server.services.registry,
      routeTier({ table: staticEmbedding, onError: () => {} }),
    );
    const operation = (task: string) => {
      const chosen = choose(task, found.value);
      const tool = found.value.tools.find(({ name }) => name === chosen);
      return `${tool?.endpoint?.method} ${tool?.endpoint?.path}`;
    };
    const wrong = tasks.flatMap(([task, ...right]) => (right.includes(operation(task)) ? [] : [task]));
    expect(tasks.length - wrong.length, wrong.join("; ")).toBeGreaterThanOrEqual(FOUND[api] ?? 0);
  });

  test("all but one or two tasks are routed to it, among the catalog and the other documents", async () => {
    await reconnect();
    const labels = await Promise.all(
      tasks.map(async ([task]) => (await server.call("POST", "/v1/route", { task })).body.intent.label),
    );
    expect(labels.filter((each) => each === label).length).toBeGreaterThanOrEqual(tasks.length - 2);
  });

  test("a task reaches the service as the right request, with the secret", async () => {
    const [task = "", request] = HEARD[api] ?? [];
    await reconnect();
    heard.length = 0;
    const { body } = await server.call("POST", "/api/execute-task", { task });
    expect(body).toMatchObject({ intent: { label }, status: "ok" });
    expect(heard.map((each) => each.request)).toEqual([request]);
    expect(heard[0]?.authorization).toMatch(api === "Stripe" ? /^(Basic|Bearer) / : /a-test-secret/);
    expect(JSON.stringify(body)).not.toContain("a-test-secret");
  });
});

test("the catalog's own tasks still match among three thousand operations", async () => {
  const label = async (task: string) => (await server.call("POST", "/v1/route", { task })).body.intent.label;
  expect(await label("create a business plan for an AI bookkeeping startup")).toBe("company.plan");
  expect(await label("show local ai models available")).toBe("localai.models");
  expect(await label("generate a logo for a robotics startup")).toBe("media.image.generate");
  expect(["proxy.extract", "research.fetch-page"]).toContain(
    await label("open this url https://example.com and extract key points"),
  );
});

/** The document with the service's address in place of every other. */
function withServer(document: unknown, url: string): unknown {
  if (Array.isArray(document)) return document.map((part) => withServer(part, url));
  if (document === null || typeof document !== "object") return document;
  return Object.fromEntries(
    Object.entries(document).map(([key, value]) => [
      key,
      key === "servers" && Array.isArray(value) ? [{ url }] : withServer(value, url),
    ]),
  );
}
