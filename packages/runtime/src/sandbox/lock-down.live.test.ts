/**
 * The isolation behind the interpreters: an interpreter fully controlled by an attacker, with everything it could save before
 * the privileges were dropped, still cannot reach anything.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type ManagedSandbox, openSandbox } from "./open-sandbox.ts";

/** Replaces just-bash. It saves what it can while being loaded, and runs the named attacks. */
const HOSTILE_ENGINE = `
const fs = require("node:fs"), net = require("node:net"), child = require("node:child_process");
const threads = require("node:worker_threads"), own = process;
const connect = net.Socket.prototype.connect;
const { kill, setuid } = own;
const attacks = {
  read: () => fs.readFileSync("/etc/passwd", "utf8").slice(0, 4),
  list: () => fs.readdirSync("/").length,
  write: () => fs.writeFileSync("/tmp/capstan-hostile", "x"),
  spawn: () => child.spawnSync("id").stdout.toString(),
  thread: () => new threads.Worker("1", { eval: true }) && "started",
  evaluate: () => new Function("return 1")(),
  environment: () => Object.keys(own.env).join(),
  root: () => { setuid.call(own, 0); return own.getuid(); },
  kill: () => { kill.call(own, own.ppid, 0); return "may signal the server"; },
  addon: () => own.dlopen ? "has dlopen" : "gone",
  user: () => String(own.getuid()),
};
const attempt = async (name, port) => {
  if (name === "connect") {
    const socket = new net.Socket();
    return new Promise((resolve) => {
      socket.on("connect", () => resolve("connected"));
      socket.on("error", (error) => resolve(error.code));
      connect.call(socket, { host: "127.0.0.1", port });
    });
  }
  try { return String(attacks[name]()); } catch (error) { return error.code || error.name; }
};
class InMemoryFs { getAllPaths() { return []; } async lstat() { return {}; } }
class Bash {
  async exec(code) {
    if (code === "true") return { stdout: "", stderr: "", exitCode: 0 };
    const [name, port] = code.split(" ");
    return { stdout: await attempt(name, Number(port)), stderr: "", exitCode: 0 };
  }
}
module.exports = { Bash, InMemoryFs, getCommandNames: () => [] };
`;

const folder = mkdtempSync(join(tmpdir(), "capstan-hostile-"));
let sandbox: ManagedSandbox;
beforeAll(async () => {
  const at = join(folder, "node_modules/just-bash");
  mkdirSync(join(at, "dist/bundle"), { recursive: true });
  writeFileSync(join(at, "package.json"), '{"name": "just-bash"}');
  writeFileSync(join(at, "dist/bundle/index.cjs"), HOSTILE_ENGINE);
  sandbox = await openSandbox({ searchFrom: join(folder, "x.js") });
});
afterAll(async () => {
  await sandbox.close();
  rmSync(folder, { recursive: true, force: true });
});

test.each([
  ["read", "ERR_ACCESS_DENIED"],
  ["list", "ERR_ACCESS_DENIED"],
  ["write", "ERR_ACCESS_DENIED"],
  ["spawn", "ERR_ACCESS_DENIED"],
  ["thread", "ERR_ACCESS_DENIED"],
  ["evaluate", "EvalError"],
  ["environment", ""],
  ["addon", "gone"],
])("a compromised interpreter's attempt to %s ends with %j", async (attack, end) => {
  expect(await attempt(attack)).toBe(end);
});

test.runIf(process.getuid?.() === 0)(
  "a compromised interpreter has its own user, cannot become root again, and cannot signal the server",
  async () => {
    const users = [Number(await attempt("user")), Number(await attempt("user"))];
    expect(Math.min(...users)).toBeGreaterThanOrEqual(65_534);
    expect(users[0] === 65_534 || users[0] !== users[1]).toBe(true);
    expect(await attempt("root")).toBe("EPERM");
    expect(await attempt("kill")).toBe("EPERM");
  },
);

test("a compromised interpreter that saved the network functions has no network, where the system can remove it", async () => {
  let connections = 0;
  const server = createServer(() => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const end = await attempt(`connect ${port}`);
  server.close();
  if (sandbox.isolation.network !== "namespace") {
    expect(sandbox.isolation.notes.join(" ")).toContain("no network namespace");
    return;
  }
  expect(end).not.toBe("connected");
  expect(connections).toBe(0);
});

async function attempt(code: string): Promise<string> {
  const result = await sandbox.run({
    language: "bash",
    code,
    files: new Map(),
    timeoutMs: 10_000,
    memoryMb: 64,
    signal: new AbortController().signal,
  });
  if (!result.ok) throw new Error(result.failure.message);
  return result.value.stdout || result.value.stderr;
}
