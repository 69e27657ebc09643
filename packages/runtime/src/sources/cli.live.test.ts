import { chmodSync, mkdtempSync, readdirSync, readlinkSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type Capability,
  CapabilityRegistry,
  compose,
  type Failure,
  fail,
  memoryFileStore,
  type Result,
  readManifest,
  type SessionFileStore,
  type ToolContext,
} from "@capstan/core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type CommandIsolation, probeCommandIsolation, uidFor } from "../commands/command-isolation.ts";
import { FailedOutputs } from "../commands/failed-outputs.ts";
import type { PackageRecord } from "../db/schema/package-record.ts";
import { createGate } from "../gate/gate.ts";
import { type CliParts, cliCapability } from "./cli.ts";
import { ServiceBreaker } from "./service-breaker.ts";
import { SessionFolders } from "./session-folders.ts";

const dataDir = mkdtempSync(join(tmpdir(), "capstan-cli-"));
const script = join(dataDir, "command.mjs");
const email = "user@example.com";
let isolation: CommandIsolation;
let folders: SessionFolders;
let files: SessionFileStore;
let parts: CliParts;

/** A command with one action per attack or feature. */
const CODE = `
import { appendFileSync, existsSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
const [action, ...rest] = process.argv.slice(2);
const words = rest.filter((word) => !word.startsWith("--"));
const actions = {
  where: () => ({ argv: rest, cwd: process.cwd(), env: process.env, uid: process.getuid() }),
  list: () => readdirSync(".", { recursive: true }).sort(),
  copy: ([from, to]) => { mkdirSync(dirname(to), { recursive: true }); writeFileSync(to, readFileSync(from)); return { copied: to }; },
  remove: ([path]) => { rmSync(path); return "removed"; },
  touch: ([path]) => { writeFileSync(path, readFileSync(path)); return "touched"; },
  link: () => { symlinkSync("/etc/passwd", "passwd"); return "linked"; },
  fail: () => { console.log("x".repeat(5000)); console.error("no such draft"); process.exit(4); },
  hang: ([path]) => { writeFileSync(path, "half"); return new Promise(() => setInterval(() => {}, 1000)); },
  flood: () => "x".repeat(3e6),
  text: () => { process.stdout.write("plain words\\n"); process.exit(0); },
  alone: async () => {
    if (existsSync(process.env.HOME + "/busy")) { console.error("two at once"); process.exit(1); }
    writeFileSync(process.env.HOME + "/busy", "");
    await new Promise((resolve) => setTimeout(resolve, 150));
    rmSync(process.env.HOME + "/busy");
    return "alone";
  },
};
console.log(JSON.stringify(await actions[action](words)));
`;

const action = (name: string, parameters: unknown[], more: object = {}) => ({
  name,
  description: `Does ${name}`,
  parameters,
  ...more,
});
const document = {
  name: "demo",
  type: "cli",
  command: "aech-cli-demo",
  description: "Tries everything",
  required_scopes: ["Demo.Use"],
  documentation: { usage: "Use demo with care." },
  actions: [
    action("where", ["--json", "--filter", "[word]"]),
    action("list", ["--json"]),
    action("copy", ["source_path", "target_path"], { required_scopes: ["Demo.Write"] }),
    action("remove", ["path"]),
    action("touch", ["path"]),
    action("link", []),
    action("fail", ["--json"]),
    action("look", [], { fixed_arguments: ["fail"], exit_codes: { 4: "There is no such draft." } }),
    action("hang", ["path"], { timeout_seconds: 1 }),
    action("flood", []),
    action("text", []),
    action("alone", []),
  ],
};

beforeAll(async () => {
  chmodSync(dataDir, 0o755);
  writeFileSync(script, CODE);
  isolation = await probeCommandIsolation({ runtimes: join(dataDir, "runtimes") });
});
beforeEach(() => {
  folders = new SessionFolders(join(dataDir, "work"), Date.now);
  files = memoryFileStore();
  parts = {
    dataDir,
    isolation,
    folders,
    outputs: new FailedOutputs(dataDir),
    breaker: new ServiceBreaker(Date.now),
    commandLine: async () => ({
      ok: true,
      value: { argv: [process.execPath, script], readable: [process.execPath, script] },
    }),
    serviceUrl: () => undefined,
    secretsFor: async () => ({}),
  };
});
afterEach(() => folders.close());
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

describe("a command as a tool", () => {
  test("is a program of others, whatever it declares: no replay runs it", () => {
    expect(capability(document).tools.filter(({ runsElsewhere }) => !runsElsewhere)).toEqual([]);
  });

  test("gets a vector of arguments, and --json when it is listed", async () => {
    expect(await call("where", { filter: "; rm -rf /", word: "$(id)" })).toMatchObject({
      argv: ["--filter", "; rm -rf /", "--json", "$(id)"],
    });
  });

  test("runs in a clean environment with HOME, the user and the service's address", async () => {
    process.env.CAPSTAN_TEST_SECRET = "s3cret";
    const { env } = (await call("where")) as { env: Record<string, string> };
    const proxy = "http://127.0.0.1:3128";
    const network = {
      ...Object.fromEntries(
        ["http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"].map((name) => [name, proxy]),
      ),
      no_proxy: "127.0.0.1,localhost",
      NO_PROXY: "127.0.0.1,localhost",
      NODE_USE_ENV_PROXY: "1",
    };
    expect(env).toEqual({
      ...(isolation.networks && network),
      PATH: "/usr/local/bin:/usr/bin:/bin",
      HOME: join(dataDir, "users", email),
      LANG: "C.UTF-8",
      PYTHONDONTWRITEBYTECODE: "1",
      DELEGATED_USER: email,
      SERVICE_URL: "http://aech-rt-demo:8080",
      CAPSTAN_IDEMPOTENCY_KEY: "call-1",
      CAPSTAN_SESSION_ID: "session-1",
      TMPDIR: expect.stringContaining("call-"),
    });
  });

  test("keeps its data in ~/capabilities/{name}, and ~/{name} is a link to it", async () => {
    await call("where");
    const home = join(dataDir, "users", email);
    expect(readlinkSync(join(home, "demo"))).toBe("capabilities/demo");
    expect(statSync(join(home, "demo")).isDirectory()).toBe(true);
  });

  test("runs under its own user id when the server is root", async ({ skip }) => {
    if (!isolation.changesUser) skip("the server is not root");
    expect(await call("where")).toMatchObject({ uid: uidFor(email) });
  });

  test("sees the session's files and returns only what it changed", async () => {
    await files.write("/docs/a.txt", bytes("hello"));
    await files.write("/docs/b.txt", bytes("other"));
    const before = await stamp("/docs/b.txt");
    expect(await call("copy", { source_path: "/docs/a.txt", target_path: "/out/deep/c.txt" })).toEqual({
      result: { copied: "out/deep/c.txt" },
      files_written: ["/out/deep/c.txt"],
    });
    expect(await content("/out/deep/c.txt")).toBe("hello");
    expect(await stamp("/docs/b.txt")).toBe(before);
  });

  test("does not return a file that was rewritten with the same content", async () => {
    await files.write("/a.txt", bytes("same"));
    expect(await call("touch", { path: "/a.txt" })).toBe("touched");
  });

  test("applies deletions, and sees changes that others made in the session", async () => {
    await files.write("/a.txt", bytes("1"));
    expect(await call("list")).toEqual(["a.txt"]);
    expect(await call("remove", { path: "a.txt" })).toEqual({ result: "removed", files_deleted: ["/a.txt"] });
    expect(await files.stat("/a.txt")).toEqual({ ok: true, value: undefined });
    await files.write("/b.txt", bytes("2"));
    expect(await call("list")).toEqual(["b.txt"]);
    await files.delete("/b.txt");
    expect(await call("list")).toEqual([]);
  });

  test("cannot change a read-only file, and gets an error", async () => {
    await files.write("/a.txt", bytes("1"));
    await files.write("/r.txt", bytes("2"), { readonly: true });
    const result = await call("copy", { source_path: "/a.txt", target_path: "/r.txt" });
    const refused = "code" in (result as object) || "files_not_kept" in (result as object);
    expect(refused).toBe(true);
    expect(await content("/r.txt")).toBe("2");
    expect(await call("list")).toEqual(["a.txt", "r.txt"]);
  });

  test.each(["../outside.txt", "/a/../../x", "a\0b"])("cannot name the path %j", async (path) => {
    expect(await call("remove", { path })).toMatchObject({
      code: expect.stringMatching(/path_invalid|tool_input_invalid/),
    });
  });

  test("cannot bring a link into the session", async () => {
    expect(await call("link")).toBe("linked");
    expect(await files.list("/")).toEqual({ ok: true, value: [] });
    expect(await call("list")).toEqual([]);
  });

  test("that fails returns its exit code and stderr", async () => {
    expect(await call("fail")).toMatchObject({
      code: "command_failed",
      message: "aech-cli-demo fail ended with code 4: no such draft",
      details: { exit_code: 4, stderr: "no such draft" },
    });
  });

  test("that ends with a code its manifest declares as an answer did not fail", async () => {
    expect(await call("look")).toEqual({
      exit_code: 4,
      meaning: "There is no such draft.",
      result: "x".repeat(5000),
    });
  });

  test("that fails keeps everything it printed, for its user alone", async () => {
    const { details, nextStep } = (await call("fail")) as Failure;
    const { output_id: id } = details as { output_id: string };
    expect(nextStep).toContain(`capstan output ${id}`);
    const mine = await parts.outputs.read(id, (owner) => owner === email);
    expect(mine).toMatchObject({
      ok: true,
      value: {
        command: "aech-cli-demo fail",
        exit_code: 4,
        stdout: `${"x".repeat(5000)}\n`,
        stderr: "no such draft\n",
      },
    });
    const others = await parts.outputs.read(id, (owner) => owner === "bob@example.com");
    expect(others).toMatchObject({ ok: false, failure: { code: "not_found" } });
    expect(await parts.outputs.read("../../etc/passwd", () => true)).toMatchObject({ ok: false });
  });

  test("that hangs is stopped at its declared timeout, and partial files are not kept", async () => {
    expect(await call("hang", { path: "/half.txt" })).toMatchObject({ code: "tool_timeout" });
    expect(await files.list("/")).toEqual({ ok: true, value: [] });
    expect(await call("list")).toEqual([]);
  });

  test("that prints too much is cut, and plain output is returned as text", async () => {
    expect(String(await call("flood"))).toMatch(/\[cut: the command printed more\]$/);
    expect(await call("text")).toBe("plain words");
  });

  test("runs alone in its session", async () => {
    expect(await Promise.all([call("alone"), call("alone"), call("alone")])).toEqual([
      "alone",
      "alone",
      "alone",
    ]);
  });

  test("works without a session when it names no path, and leaves no folder behind", async () => {
    const { sessionId: _, fileStore: __, ...without } = context();
    const outcome = await tool("where").run({}, without as ToolContext);
    expect(outcome.ok).toBe(true);
    await folders.close();
    expect(readdirSync(join(dataDir, "work"))).toEqual([]);
    expect(tool("copy").requiresContext).toBe(true);
  });
});

describe("an API service", () => {
  const withService = {
    ...document,
    service: { container: "aech-rt-demo", port: 8080, health_endpoint: "/health" },
  };

  test("is health-checked before a call, and its address is passed on", async () => {
    const service = await serviceThat(200);
    parts = { ...parts, serviceUrl: () => service.url };
    expect(await call("where", {}, withService)).toMatchObject({ env: { SERVICE_URL: service.url } });
    expect(service.asked).toEqual(["/health"]);
    service.server.close();
  });

  test.each([
    ["answers 503", 503],
    ["is not there", undefined],
  ])("that %s gives a clear refusal and opens the circuit breaker", async (_, status) => {
    const service = await serviceThat(status ?? 200);
    if (status === undefined) await new Promise((resolve) => service.server.close(resolve));
    let nowMs = 0;
    parts = { ...parts, serviceUrl: () => service.url, breaker: new ServiceBreaker(() => nowMs) };
    const refused = await call("where", {}, withService);
    expect(refused).toMatchObject({
      code: "service_down",
      nextStep: expect.stringContaining("capstan services start"),
    });
    const asked = service.asked.length;
    expect(await call("where", {}, withService)).toMatchObject({ code: "service_down" });
    expect(service.asked.length).toBe(asked);
    nowMs = 11_000;
    expect(await call("where", {}, withService)).toMatchObject({ code: "service_down" });
    expect(service.asked.length).toBe(status === undefined ? 0 : asked + 1);
    service.server.close();
  });
});

describe("through the gate", () => {
  const call = async (scopes: string[], name: string, input: unknown) => {
    const registry = CapabilityRegistry.of([capability(document)]);
    const spec = {
      id: "agent",
      name: "A",
      description: "",
      version: 1,
      systemPrompt: "",
      harness: "native",
      capabilities: [{ id: "demo" }],
      grantedScopes: scopes,
      toolPolicies: {},
      limits: {},
    };
    const agent = compose(spec as never, registry, { scopes }, () => 1);
    if (!agent.ok) throw new Error(agent.failure.message);
    const gate = createGate({
      contextFor: () => context(),
      record: () => {},
      now: () => new Date(),
      maxOutputChars: 10_000,
    });
    const outcome = await gate.call({
      path: "rest",
      agent: agent.value,
      tool: name,
      input,
      user: { email, scopes },
      sessionId: "session-1",
      callId: "call-1",
      signal: new AbortController().signal,
    });
    return outcome.kind === "refused" ? outcome.failure.code : outcome.kind;
  };

  test.each([
    ["runs with all scopes", ["Demo.Use", "Demo.Write"], "done"],
    ["is hidden without the action's scope", ["Demo.Use"], expect.stringMatching(/scope|hidden/)],
    ["is hidden without the capability's scope", ["Demo.Write"], expect.stringMatching(/scope|hidden/)],
  ])("an action %s", async (_, scopes, expected) => {
    await files.write("/a.txt", bytes("1"));
    expect(await call(scopes, "demo_copy", { source_path: "/a.txt", target_path: "/b.txt" })).toEqual(
      expected,
    );
  });
});

function capability(manifestDocument: object): Capability {
  const manifest = readManifest(manifestDocument);
  if (!manifest.ok) throw new Error(manifest.failure.message);
  const record = { name: "aech-cli-demo", version: "0.1.0", description: { role: "cli" } } as PackageRecord;
  return cliCapability(record, manifest.value, parts);
}

function tool(name: string, manifestDocument: object = document) {
  const found = capability(manifestDocument).tools.find((each) => each.name === `demo_${name}`);
  if (!found) throw new Error(`no tool ${name}`);
  return found;
}

function context(): ToolContext {
  return {
    user: { email, scopes: ["*"] },
    sessionId: "session-1",
    fileStore: files,
    fetch: async (url) => fail("url_invalid", { url }),
    store: { get: async () => undefined, set: async () => {}, delete: async () => {}, list: async () => [] },
    config: {},
    signal: new AbortController().signal,
    idempotencyKey: "call-1",
    now: () => new Date(),
  };
}

async function call(name: string, input: object = {}, manifestDocument: object = document): Promise<unknown> {
  const called = tool(name, manifestDocument);
  const parsed = called.input.parse(input);
  if (!parsed.ok) throw new Error(parsed.where);
  const result = (await called.run(parsed.value, context())) as Result<unknown>;
  return result.ok ? result.value : (result.failure satisfies Failure);
}

const bytes = (text: string) => new TextEncoder().encode(text);
async function content(path: string): Promise<string> {
  const read = await files.read(path);
  return read.ok ? new TextDecoder().decode(read.value) : read.failure.code;
}
async function stamp(path: string): Promise<number | undefined> {
  const found = await files.stat(path);
  return found.ok ? found.value?.updatedAt.getTime() : undefined;
}

async function serviceThat(status: number): Promise<{ url: string; asked: string[]; server: Server }> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? "");
    response.writeHead(status).end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, server };
}
