import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { CapabilityRegistry, memoryFileStore, type ToolContext } from "@capstan/core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { readableCopies } from "../../../../tools/packages/readable-copy.ts";
import { probeCommandIsolation } from "../commands/command-isolation.ts";
import { createGuardedFetch } from "../network/guarded-fetch.ts";
import { type McpSource, type OpenMcp, openMcp } from "./mcp.ts";

const copies = readableCopies();
const EVERYTHING = copies.packageFile("@modelcontextprotocol/server-everything", "dist/index.js");
const runtimes = mkdtempSync(join(tmpdir(), "capstan-mcp-runtimes-"));
const isolation = await probeCommandIsolation({ runtimes });
const fixture = (name: string) => fileURLToPath(new URL(`./fixtures/${name}`, import.meta.url));
const ODD_SCRIPT = copies.script(fixture("odd-mcp-server.ts"));
const odd = (...args: string[]): McpSource => ({
  command: process.execPath,
  args: [ODD_SCRIPT, ...args],
});
const ODD = odd();

const opened: OpenMcp[] = [];
afterAll(() => {
  copies.remove();
  rmSync(runtimes, { recursive: true, force: true });
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((mcp) => mcp.close()));
});

describe("the reference server, as a command", () => {
  let everything: OpenMcp;
  beforeAll(async () => {
    everything = await open({ command: process.execPath, args: [EVERYTHING, "stdio"] });
    opened.splice(0);
  });
  afterAll(() => everything.close());

  test("is one capability with its tools, which can be registered", () => {
    const { capability } = everything;
    expect(capability).toMatchObject({
      source: "mcp",
      name: "Everything Reference Server",
      version: "2.0.0",
    });
    expect(capability.tools.length).toBeGreaterThanOrEqual(13);
    expect(CapabilityRegistry.of([capability]).list()).toHaveLength(1);
    expect(capability.tools.filter(({ unavailable }) => unavailable !== undefined)).toEqual([]);
    expect(capability.tools.filter(({ runsElsewhere }) => !runsElsewhere)).toEqual([]); // whatever it says of itself
  });

  test.each([
    ["echo", { message: "hi" }, "Echo: hi"],
    ["get-sum", { a: 2, b: 40 }, "The sum of 2 and 40 is 42."],
    [
      "get-structured-content",
      { location: "Chicago" },
      expect.objectContaining({ temperature: expect.any(Number) }),
    ],
  ])("%s is called", async (name, input, answer) => {
    const tool = toolOf(everything, name);
    expect(tool.input.parse(input).ok).toBe(true);
    expect(await tool.run(input, context())).toEqual({ ok: true, value: answer });
  });

  test("validates arguments before calling, by the server's own schema", () => {
    expect(toolOf(everything, "get-sum").input.parse({ a: "two", b: 40 })).toEqual({
      ok: false,
      where: "/a must be number",
    });
  });

  test("saves an image as a session file", async () => {
    const fileStore = memoryFileStore();
    const result = await toolOf(everything, "get-tiny-image").run({}, context({ fileStore }));
    const picture = JSON.stringify(result).match(/"path":"([^"]+\.png)"/)?.[1] ?? "";
    const read = await fileStore.read(picture);
    expect(read.ok && Buffer.from(read.value.subarray(1, 4)).toString()).toBe("PNG");
  });
});

describe("a server over HTTP", () => {
  const servers: ChildProcess[] = [];
  afterAll(() => servers.map((child) => child.kill("SIGKILL")));

  test("of the newest protocol is called, with its key from the settings", async () => {
    const child = spawn(process.execPath, [fixture("modern-mcp-server.ts")], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    servers.push(child);
    const port = await new Promise<string>((resolve) =>
      child.stdout?.once("data", (chunk) => resolve(String(chunk).trim())),
    );
    const url = `http://127.0.0.1:${port}/mcp`;
    const guarded = createGuardedFetch({ allowHosts: [`127.0.0.1:${port}`] });
    const settings = (name: string) => (name === "MODERN_KEY" ? "modern-key" : undefined);
    const headers = { "X-Key": "$" + "{MODERN_KEY}" };
    const mcp = await open({ url, headers }, { fetch: guarded, settings });
    expect(mcp.capability).toMatchObject({
      id: "modern",
      version: "3.2.1",
      tools: [{ name: "add", idempotent: true }],
    });
    expect(await toolOf(mcp, "add").run({ a: 1, b: 2 }, context())).toEqual({ ok: true, value: { sum: 3 } });

    expect(await openMcp({ url, headers }, { fetch: guarded })).toMatchObject({
      failure: { code: "secret_missing" },
    });
    expect(await openMcp({ url }, { fetch: guarded })).toMatchObject({
      failure: { code: "mcp_unreachable" },
    });
    const shut = await openMcp({ url, headers }, { fetch: createGuardedFetch(), settings });
    expect(shut).toMatchObject({
      failure: { code: "mcp_unreachable", message: expect.stringContaining("guard") },
    });
    await guarded.close();
  });
});

describe("a misbehaving server", () => {
  test("gets legal names, visible texts, all pages, and no tool with external references", async () => {
    const { capability } = await open(ODD);
    expect(capability).toMatchObject({
      id: "odd_server",
      name: "Odd Server",
      version: "1.0.0",
      systemPrompt: "Be careful.",
    });
    expect(capability.tools).toHaveLength(9);
    const destructive = capability.tools.find(({ name }) => name === "delete_all_things");
    expect(destructive).toMatchObject({ policy: "approve", description: "Hidden text." });
    expect(capability.tools.find(({ name }) => name === "remote")?.unavailable).toContain("outside itself");
  });

  test("dies during a call: a clear failure, and the next call restarts it", async () => {
    const mcp = await open(ODD);
    const before = await mcp.pid();
    expect(await toolOf(mcp, "die").run({}, context())).toMatchObject({
      failure: { code: "mcp_server_died", message: expect.stringContaining("the disk is full") },
    });
    expect(await toolOf(mcp, "pid").run({}, context())).toMatchObject({ ok: true });
    expect(await mcp.pid()).not.toBe(before);
  });

  test("is killed between calls: the next call does not notice", async () => {
    const mcp = await open(ODD);
    const pid = await mcp.pid();
    process.kill(-(pid ?? 0), "SIGKILL");
    const answers = async () => (await toolOf(mcp, "pid").run({}, context())).ok;
    await expect.poll(answers, { timeout: 30_000 }).toBe(true);
  });

  test("hangs: the call times out, can be cancelled, and the server still works", async () => {
    const mcp = await open(ODD, { callTimeoutMs: 300 });
    expect(await toolOf(mcp, "hang").run({}, context())).toMatchObject({ failure: { code: "tool_timeout" } });
    const controller = new AbortController();
    const hanging = toolOf(mcp, "hang").run({}, context({ signal: controller.signal }));
    controller.abort();
    expect(await hanging).toMatchObject({ failure: { code: "cancelled" } });
    expect(await toolOf(mcp, "delete_all_things").run({}, context())).toMatchObject({
      value: expect.stringMatching(/^cancelled: [1-9]/),
    });
  });

  test("reports a failure: a failure with its message", async () => {
    const mcp = await open(ODD);
    expect(await toolOf(mcp, "fails").run({}, context())).toMatchObject({
      failure: { code: "tool_failed", message: "the moon is not full" },
    });
  });

  test("sees nothing of our environment, and is another user where possible", async () => {
    process.env.CAPSTAN_MCP_SECRET = "tell nobody";
    const mcp = await open(
      { ...ODD, env: { GIVEN: "yes", KEY: "$" + "{ODD_KEY}" } },
      { settings: () => "odd-key" },
    );
    const answer = await toolOf(mcp, "env").run({}, context());
    const { env, uid } = JSON.parse(answer.ok ? String(answer.value) : "{}");
    delete process.env.CAPSTAN_MCP_SECRET;
    const own = Object.keys(env).filter((name) => !/proxy/i.test(name)); // where its network is
    expect(own.sort()).toEqual(["GIVEN", "HOME", "KEY", "LANG", "PATH", "TMPDIR"]);
    expect(env).toMatchObject({ GIVEN: "yes", KEY: "odd-key" });
    if (isolation.changesUser) expect(uid).not.toBe(0);
  });

  test("leaves children behind: they end with it, and its home is removed", async () => {
    const mcp = await open(ODD);
    const started = await toolOf(mcp, "spawn").run({}, context());
    const answer = await toolOf(mcp, "env").run({}, context());
    const { env } = JSON.parse(answer.ok ? String(answer.value) : "{}");
    const pid = await mcp.pid();
    expect(started.ok && groupOf(pid ?? 0).length).toBeGreaterThan(1);
    await mcp.close();
    await expect.poll(() => groupOf(pid ?? 0)).toEqual([]);
    expect(existsSync(env.HOME)).toBe(false);
  });

  test("changes its tools: we are notified, and read them again", async () => {
    let told = 0;
    const mcp = await open(ODD, {
      onToolsChanged: () => {
        told += 1;
      },
    });
    await toolOf(mcp, "grow").run({}, context());
    await expect.poll(() => told).toBe(1);
    const refreshed = await mcp.refresh();
    expect(refreshed.ok && refreshed.value.tools.map(({ name }) => name)).toContain("extra");
  });

  test.each([
    ["a missing command", { command: "/no/such/program" }, "cannot be reached"],
    ["a server that exits immediately", odd("broken"), "no licence file found"],
    [
      "a server that never answers",
      odd("mute"),
      "gave no answer to `initialize` within 1 s; it has printed nothing",
    ],
    ["an invalid address", { url: "ftp://x" }, "not a URL"],
  ])("%s: refused with the reason", async (_, source, why) => {
    const result = await openMcp(source as McpSource, {
      fetch: createGuardedFetch(),
      isolation,
      connectTimeoutMs: 1_000,
    });
    expect(result.ok ? "" : result.failure.message).toContain(why);
  });
});

type Options = Partial<Parameters<typeof openMcp>[1]>;

async function open(source: McpSource, options: Options = {}): Promise<OpenMcp> {
  const result = await openMcp(source, { fetch: createGuardedFetch(), isolation, ...options });
  if (!result.ok) throw new Error(result.failure.message);
  opened.push(result.value);
  return result.value;
}

function toolOf({ capability }: OpenMcp, name: string) {
  const tool = capability.tools.find((candidate) => candidate.name === name);
  if (!tool) throw new Error(`no tool ${name}`);
  return tool;
}

function context(parts: Partial<ToolContext> = {}): ToolContext {
  return { signal: new AbortController().signal, idempotencyKey: "run:1", ...parts } as ToolContext;
}

/** Processes of a group that live, as Linux lists them. */
function groupOf(group: number): number[] {
  const children = (pid: number): number[] => {
    try {
      const below = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8")
        .split(" ")
        .filter(Boolean)
        .map(Number);
      return [pid, ...below.flatMap(children)];
    } catch {
      return [];
    }
  };
  return children(group);
}
