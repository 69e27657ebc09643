import { expect, test } from "vitest";
import { type CommandOptions, runCommand } from "./run-command.ts";

const node = process.execPath;
const run = (script: string, more: Partial<CommandOptions> = {}) =>
  runCommand([node, "-e", script], { env: { ONLY: "this" }, timeoutMs: 20_000, ...more });

test("gives output, error output and exit code", async () => {
  const script = "process.stdout.write('out'); process.stderr.write('err'); process.exitCode = 3";
  expect(await run(script)).toEqual({ outcome: "exited", code: 3, stdout: "out", stderr: "err" });
});

test("passes arguments unchanged, without a shell", async () => {
  const result = await runCommand([node, "-p", "process.argv[1]", "$(id); `id` *"], {
    env: {},
    timeoutMs: 20_000,
  });
  expect(result.stdout).toBe("$(id); `id` *\n");
});

test("passes on only the given environment", async () => {
  const { stdout } = await run("console.log(Object.keys(process.env).join())");
  expect(stdout.trim()).toBe("ONLY");
});

test("reports that the command does not exist", async () => {
  expect(await runCommand(["/no/such/command"], { env: {}, timeoutMs: 1000 })).toMatchObject({
    outcome: "not_found",
  });
});

test("stops a command that takes too long, with everything it started", async () => {
  const script = `
    const { spawn } = require("node:child_process");
    const child = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
    console.log(child.pid);
    process.on("SIGTERM", () => {});
    setInterval(() => {}, 1000);`;
  const result = await run(script, { timeoutMs: 1500 });
  expect(result.outcome).toBe("timeout");
  const grandchild = Number(result.stdout);
  expect(grandchild).toBeGreaterThan(0);
  await expect.poll(() => alive(grandchild)).toBe(false);
});

test("stops a command with too much output", async () => {
  const flood =
    "const big = 'x'.repeat(65536); const go = () => { while (process.stdout.write(big)); }; process.stdout.on('drain', go); go();";
  const result = await run(flood, { maxOutputBytes: 200_000 });
  expect(result.outcome).toBe("too_large");
  expect(result.stdout.length).toBeLessThanOrEqual(200_000);
});

test("talks to a server on stdin and leaves once it has its answer", async () => {
  const echo = "process.stdin.on('data', (d) => process.stdout.write('got ' + d))";
  const result = await run(echo, { input: ["hello"], until: (line) => line === "got hello" });
  expect(result).toMatchObject({ outcome: "stopped", stdout: "got hello\n" });
});

test("survives a command that never reads its stdin", async () => {
  const result = await run("process.exit(0)", { input: ["x".repeat(1_000_000)] });
  expect(result).toMatchObject({ outcome: "exited", code: 0 });
});

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
