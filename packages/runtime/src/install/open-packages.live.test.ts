import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  agentSpec,
  CapabilityRegistry,
  compose,
  createRouteIndex,
  defineCapability,
  fail,
  memoryFileStore,
  type Result,
  rank,
  routeDocument,
  type SessionFileStore,
} from "@capstan/core";
import { writeTarGz } from "@capstan/core/internal";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { readableCopies } from "../../../../tools/packages/readable-copy.ts";
import { demoManifest, file, testTarball, testWheel } from "../../../../tools/packages/test-packages.ts";
import { type FreshStore, freshPglite } from "../../../../tools/stores-under-test.ts";
import { type Database, openDatabase } from "../db/database.ts";
import { createGate } from "../gate/gate.ts";
import { nodeCodec } from "./node-codec.ts";
import { openPackages, type Packages } from "./open-packages.ts";

const user = "dev@example.com";
let store: FreshStore;
let database: Database;
let registry: CapabilityRegistry;
let packages: Packages;
let files: SessionFileStore;

beforeAll(async () => {
  store = await freshPglite();
  database = value(await openDatabase(store));
});
afterAll(async () => {
  await database.close();
  await store.drop();
});
beforeEach(async () => {
  registry = CapabilityRegistry.of([
    defineCapability({ id: "taken", name: "Taken", description: "A built-in." }),
  ]);
  files = memoryFileStore();
  packages = await open();
});
afterEach(async () => {
  for (const { record } of await packages.list()) value(await packages.uninstall(record.name));
  await packages.close();
});

describe.each([
  { kind: "wheel", source: "demo.whl", build: testWheel },
  { kind: "npm", source: "demo.tgz", build: testTarball },
])("a package ($kind) from installation to removal", ({ source, build }) => {
  test("is installed, routed to, called through the gate, denied without scope, updated, uninstalled", async () => {
    const installed = value(await packages.install({ source, bytes: build() }, { user, accept: true }));
    expect(registry.get("demo")).toMatchObject({ ok: true, value: { source: "cli", version: "0.1.0" } });

    const index = createRouteIndex();
    for (const capability of registry.list()) index.add(routeDocument(capability));
    expect(rank("echo words with the demo", index).matches[0]?.id).toBe("demo");

    expect(await call("demo_echo", { text: "hello", loud: true }, ["Demo.Use"])).toMatchObject({
      text: "HELLO",
    });
    expect(await call("demo_echo", { text: "hello" }, [])).toMatch(/Demo\.Use/);
    expect(await call("demo_write", { path: "/a.txt", text: "x" }, ["Demo.Use"])).toMatch(/Demo\.Write/);
    expect(await call("demo_write", { path: "/a.txt", text: "x" }, ["Demo.Use", "Demo.Write"])).toEqual({
      result: "written",
      files_written: ["/a.txt"],
    });
    expect(await call("demo_echo", { text: "fail" }, ["Demo.Use"])).toMatch(/code 3: it failed on purpose/);

    const [echo] = demoManifest.actions;
    const next = {
      version: "0.2.0",
      manifest: { ...demoManifest, actions: [{ ...echo, required_scopes: ["Demo.Echo"] }] },
    };
    expect(await packages.install({ source, bytes: build(next) }, { user })).toMatchObject({
      failure: {
        code: "package_review_needed",
        details: { update: { permissions: { grows: true, actionsRemoved: ["write"] } } },
      },
    });
    value(await packages.install({ source, bytes: build(next) }, { user, accept: true }));
    expect(await call("demo_echo", { text: "hello" }, ["Demo.Use"])).toMatch(/Demo\.Echo/);
    expect(await call("demo_echo", { text: "hello" }, ["Demo.Use", "Demo.Echo"])).toMatchObject({
      text: "hello",
    });

    const { record, kept } = value(await packages.uninstall(installed.record.name));
    expect([record.version, kept]).toEqual(["0.2.0", []]);
    expect(await call("demo_echo", { text: "hello" }, ["Demo.Use"])).toMatch(/no capability "demo"/);
    expect(readdirSync(join(store.dataDir, "packages"))).toEqual([]);
    expect(readdirSync(join(store.dataDir, "users", user)).sort()).toEqual(["capabilities", "sessions"]);
    expect(readdirSync(join(store.dataDir, "users", user, "capabilities"))).toEqual([]);
  });
});

describe("other kinds of packages", () => {
  const copies = readableCopies();
  afterAll(() => copies.remove());
  const script = copies.packageFile("@modelcontextprotocol/server-everything", "dist/index.js");
  const everything = `"${process.execPath}" "${script}" stdio`;

  test("an MCP server: asked for its tools only with consent, called through the gate, removed when uninstalled", async () => {
    const source = { source: everything, kind: "mcp" } as const;
    const review = value(await packages.review(source));
    expect(review).toMatchObject({
      name: "server_everything",
      must_run_code: true,
      tools: [],
      commands: [everything.replaceAll('"', "")],
    });
    expect(review.not_isolated.join(" ")).toMatch(/Only the command line is pinned/);
    expect(await packages.install(source, { user, accept: true })).toMatchObject({
      failure: { code: "package_must_run_code" },
    });
    const { record } = value(await packages.install(source, { user, accept: true, runToDescribe: true }));
    expect(record.description.tools.map(({ name }) => name)).toEqual(expect.arrayContaining(["echo"]));
    expect(JSON.stringify(await call("echo", { message: "hello" }, [], "server_everything"))).toMatch(
      /hello/,
    );
    value(await packages.uninstall("server_everything"));
    expect(registry.has("server_everything")).toBe(false);
  });

  test("a skill folder", async () => {
    const folder = join(store.dataDir, "triage");
    mkdirSync(join(folder, "references"), { recursive: true });
    writeFileSync(
      join(folder, "SKILL.md"),
      "---\nname: triage\ndescription: Sort mail. Use when mail piles up.\n---\nRead references/rules.md first.\n",
    );
    writeFileSync(join(folder, "references", "rules.md"), "Bills before letters.");
    const { record } = value(await packages.install({ source: folder }, { user, accept: true }));
    expect(record).toMatchObject({ name: "triage", kind: "skill", description: { skills: ["triage"] } });
    expect(await call("triage_read_skill_file", { path: "references/rules.md" }, [], "triage")).toMatchObject(
      { content: "Bills before letters." },
    );
  });

  test("an OpenAPI document", async () => {
    const document = {
      openapi: "3.1.0",
      info: { title: "Tides", version: "2.0.0" },
      servers: [{ url: "https://tides.example" }],
      paths: {
        "/tides": { get: { operationId: "listTides", summary: "Times of high water.", responses: {} } },
      },
    };
    const { record } = value(
      await packages.install(
        { source: "tides.json", bytes: new TextEncoder().encode(JSON.stringify(document)) },
        { user, accept: true },
      ),
    );
    expect(record).toMatchObject({
      name: "tides",
      kind: "openapi",
      version: "2.0.0",
      description: { tools: [{ name: "listTides" }] },
    });
    expect(registry.get("tides")).toMatchObject({ ok: true, value: { source: "http" } });
  });

  test.each([
    [
      "a skill without front matter",
      "s.tgz",
      "skill",
      writeTarGz([file("x/SKILL.md", "no front matter")], nodeCodec),
    ],
    ["a document that is not OpenAPI", "x.json", "openapi", new TextEncoder().encode("{}")],
    ["an MCP declaration of another shape", "x", "mcp", new TextEncoder().encode('{"run": "sh"}')],
  ] as const)("%s is refused, and nothing is left behind", async (_, source, kind, bytes) => {
    expect(
      await packages.install({ source, kind, bytes }, { user, accept: true, runToDescribe: true }),
    ).toMatchObject({ ok: false });
    expect([await packages.list(), readdirSync(join(store.dataDir, "packages"))]).toEqual([[], []]);
  });
});

test("bundled skills are added and removed with their package, and require its scopes", async () => {
  const manifest = { ...demoManifest, bundled_skills: [{ name: "echo-well" }, { name: "missing" }] };
  const skill = "---\nname: echo-well\ndescription: Echo with care. Use when echoing.\n---\nSpeak clearly.\n";
  const bytes = testTarball({ manifest, files: { "skills/echo-well/SKILL.md": skill } });
  value(await packages.install({ source: "demo.tgz", bytes }, { user, accept: true }));
  expect(registry.get("echo-well")).toMatchObject({
    value: { dependencies: ["demo"], requiredScopes: ["Demo.Use"] },
  });
  value(await packages.uninstall("aech-cli-demo"));
  expect(registry.list().map(({ id }) => id)).toEqual(["taken"]);
});

test("data that a user created with a package is kept and listed when it is uninstalled", async () => {
  value(await packages.install({ source: "demo.tgz", bytes: testTarball() }, { user, accept: true }));
  const folder = join(store.dataDir, "users", user, "capabilities", "demo");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "state.sqlite"), "mine");
  expect(value(await packages.uninstall("aech-cli-demo")).kept).toEqual([folder]);
});

test("a package cannot replace a capability of the server or of another package", async () => {
  const named = (name: string, manifestName: string) =>
    testTarball({ name, manifest: { ...demoManifest, name: manifestName } });
  expect(
    await packages.install({ source: "a.tgz", bytes: named("aech-cli-a", "taken") }, { user, accept: true }),
  ).toMatchObject({
    failure: { code: "package_conflict", message: expect.stringMatching(/the server itself/) },
  });
  value(
    await packages.install({ source: "a.tgz", bytes: named("aech-cli-a", "demo") }, { user, accept: true }),
  );
  expect(
    await packages.install({ source: "b.tgz", bytes: named("aech-cli-b", "demo") }, { user, accept: true }),
  ).toMatchObject({
    failure: { code: "package_conflict", message: expect.stringMatching(/the package aech-cli-a/) },
  });
});

test("installed packages are available again after a restart", async () => {
  value(await packages.install({ source: "demo.tgz", bytes: testTarball() }, { user, accept: true }));
  await packages.close();
  registry = new CapabilityRegistry();
  packages = await open();
  expect(await call("demo_echo", { text: "again" }, ["Demo.Use"])).toMatchObject({ text: "again" });
});

function open(): Promise<Packages> {
  return openPackages({
    dataDir: store.dataDir,
    database,
    registry,
    lockPath: join(store.dataDir, "capstan.lock"),
    toolEnvironment: { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "" },
    fetch: async (url) => fail("url_invalid", { url }),
    onError: (error) => {
      throw error;
    },
    now: () => new Date(),
  });
}

/** Calls it like an agent with these scopes; a refusal is its message. */
async function call(tool: string, input: unknown, scopes: string[], id = "demo"): Promise<unknown> {
  const spec = agentSpec({ name: "Tester", capabilities: [{ id }], grantedScopes: scopes });
  const agent = compose(spec, registry, { scopes });
  if (!agent.ok) return agent.failure.message;
  const gate = createGate({
    contextFor: (request, _, signal) => ({
      user: request.user,
      sessionId: "s1",
      fileStore: files,
      fetch: async (url) => fail("url_invalid", { url }),
      store: {
        get: async () => undefined,
        set: async () => {},
        delete: async () => {},
        list: async () => [],
      },
      config: {},
      signal,
      idempotencyKey: "1",
      now: () => new Date(),
    }),
    record: () => {},
    now: () => new Date(),
    maxOutputChars: 10_000,
  });
  const signal = AbortSignal.timeout(20_000);
  const outcome = await gate.call({
    path: "rest",
    agent: agent.value,
    tool,
    input,
    user: { email: user, scopes },
    sessionId: "s1",
    callId: "1",
    signal,
  });
  if (outcome.kind === "refused") return outcome.failure.message;
  return outcome.kind === "done" ? outcome.output : outcome.kind;
}

function value<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(`${result.failure.code}: ${result.failure.message}`);
  return result.value;
}
