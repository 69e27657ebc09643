import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type CommandIsolation, probeCommandIsolation, uidFor } from "./command-isolation.ts";
import { nodeFiles } from "./program-files.ts";
import { type CommandOutcome, type CommandRequest, runCommand } from "./run-command.ts";

let isolation: CommandIsolation;
const folder = mkdtempSync(join(tmpdir(), "capstan-command-"));
beforeAll(async () => {
  chmodSync(folder, 0o777); // commands run as another user when the tests are root
  isolation = await probeCommandIsolation({ runtimes: join(folder, "runtimes") });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("a command", () => {
  test("gets its arguments as a vector, without a shell", async () => {
    const args = ["a b", "$(id)", "; touch x", "*", ""];
    const outcome = await run("console.log(JSON.stringify(process.argv.slice(1)))", args);
    expect(outcome).toMatchObject({ exit: "exited", code: 0 });
    expect(JSON.parse(outcome.stdout)).toEqual(args);
  });

  test("sees only the given environment", async () => {
    process.env.CAPSTAN_TEST_SECRET = "s3cret";
    const { stdout } = await run("console.log(Object.keys(process.env).sort().join())", [], {
      env: { LANG: "C", HOME: "/x" },
    });
    expect(stdout.trim()).toBe("HOME,LANG");
  });

  test("returns its exit code and output", async () => {
    expect(await run("console.log('out'); console.error('err'); process.exit(3)")).toMatchObject({
      exit: "exited",
      code: 3,
      stdout: "out\n",
      stderr: "err\n",
    });
  });

  test("that hangs is stopped at its timeout", async () => {
    expect(await run("setInterval(() => {}, 1000)", [], { timeoutMs: 300 })).toMatchObject({
      exit: "timeout",
      code: -1,
    });
  });

  test("that ignores SIGTERM is killed", async () => {
    const outcome = await run("process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)", [], {
      timeoutMs: 300,
    });
    expect(outcome.exit).toBe("timeout");
  });

  test("that is cancelled ends", async () => {
    const controller = new AbortController();
    const running = run("setInterval(() => {}, 1000)", [], { signal: controller.signal });
    controller.abort();
    expect((await running).exit).toBe("cancelled");
  });

  test("that prints too much is stopped, or cut, as requested", async () => {
    const flood = "for (let i = 0; i < 1e5; i++) process.stdout.write('x'.repeat(1000))";
    expect(await run(flood, [], { maxOutputBytes: 1000, onFlood: "kill" })).toMatchObject({
      exit: "flooded",
    });
    const cut = await run(flood, [], { maxOutputBytes: 1000, onFlood: "cut" });
    expect([cut.exit, cut.stdout.length, cut.cut]).toEqual(["exited", 1000, true]);
  });

  test("that takes too much memory is stopped", async () => {
    const greedy = "const all = []; setInterval(() => all.push(Buffer.alloc(50e6, 1)), 20)";
    expect(await run(greedy, [], { maxMemoryBytes: 300e6 })).toMatchObject({ exit: "memory" });
  });

  test("that does not exist is an outcome", async () => {
    const outcome = await outcomeOf({ argv: ["/no/such/command"] });
    expect(outcome).toMatchObject({
      exit: "exited",
      code: 127,
      stderr: expect.stringContaining("not found"),
    });
  });

  test("cannot leave a process behind in the background", async ({ skip }) => {
    if (isolation.wrapper.length === 0) skip("no process namespace on this system");
    const beat = join(folder, "beat");
    writeFileSync(beat, "");
    chmodSync(beat, 0o666);
    const daemon = `setInterval(() => require('fs').appendFileSync(${JSON.stringify(beat)}, '.'), 20)`;
    const code = `require('child_process').spawn(process.execPath, ['-e', ${JSON.stringify(daemon)}], { detached: true, stdio: 'ignore' }).unref();
      const wait = setInterval(() => require('fs').statSync(${JSON.stringify(beat)}).size > 2 && clearInterval(wait), 10)`;
    expect((await run(code)).exit).toBe("exited");
    const after = readFileSync(beat, "utf8").length;
    await run("setTimeout(() => {}, 200)");
    expect(readFileSync(beat, "utf8").length).toBe(after);
  });

  test("has no network when none is allowed", async ({ skip }) => {
    if (!isolation.offlineWrapper) skip("no network namespace on this system");
    const code =
      "console.log(Object.values(require('os').networkInterfaces()).flat().filter((i) => !i.internal).length)";
    expect((await run(code, [], { network: "none" })).stdout.trim()).toBe("0");
  });

  test("would have its own programs and libraries loaded with the server's rights, by its environment", async () => {
    const programs = join(folder, "programs");
    const canary = join(folder, "ran-as");
    mkdirSync(programs);
    for (const name of ["unshare", "nsenter", "setpriv", "mount", "sh", "cat"])
      writeFileSync(join(programs, name), `#!/bin/sh\n/usr/bin/id -u >>${canary}\n`, { mode: 0o755 });
    const evil = join(programs, "evil.so");
    const env = {
      PATH: `${programs}:/usr/bin:/bin`,
      LD_PRELOAD: evil,
      LD_LIBRARY_PATH: programs,
      NODE_OPTIONS: `--require=${evil}`,
      PYTHONPATH: programs,
      PYTHONSTARTUP: evil,
      BASH_ENV: evil,
      ENV: evil,
    };
    const outcome = await outcomeOf({ argv: ["/usr/bin/env"], env, network: { hosts: [] } });
    expect(existsSync(canary)).toBe(false);
    expect(outcome.stdout).toContain(`LD_PRELOAD=${evil}`); // it has what it asked for, once the rights are gone
    expect(outcome.stderr.match(/cannot be preloaded/g)?.length ?? 0).toBeLessThan(2);
  });

  test("runs as another user when the server is root", async ({ skip }) => {
    if (!isolation.changesUser) skip("the server is not root");
    const uid = uidFor("user@example.com");
    const outcome = await outcomeOf({ argv: ["/usr/bin/id", "-u"], uid });
    expect(outcome.stdout.trim()).toBe(String(uid));
  });
});

function base(): CommandRequest {
  return {
    argv: [],
    cwd: folder,
    env: { PATH: "/usr/bin:/bin" },
    timeoutMs: 20_000,
    maxOutputBytes: 100_000,
    onFlood: "cut",
    maxMemoryBytes: 1e9,
    network: "open",
    uid: uidFor("user@example.com"),
    readable: nodeFiles(),
    writable: [folder],
  };
}

function run(code: string, args: string[] = [], change: Partial<CommandRequest> = {}) {
  return outcomeOf({ argv: [process.execPath, "-e", code, ...args], ...change });
}

async function outcomeOf(change: Partial<CommandRequest>): Promise<CommandOutcome> {
  const outcome = await runCommand({ ...base(), ...change }, isolation);
  if (!outcome.ok) throw new Error(outcome.failure.message);
  return outcome.value;
}
