import { tmpdir } from "node:os";
import { join } from "node:path";
import type { SandboxLanguage } from "@capstan/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type CodeOptions, codeRequest, runCode } from "../../../../tools/sandbox-under-test.ts";
import { type ManagedSandbox, openSandbox } from "./open-sandbox.ts";

let sandbox: ManagedSandbox;
beforeAll(async () => {
  sandbox = await openSandbox();
});
afterAll(() => sandbox.close());

const LANGUAGES: SandboxLanguage[] = ["javascript", "python", "bash"];

describe("limits", () => {
  test.each([
    ["javascript", "console.log('before'); for (;;);"],
    [
      "javascript",
      "console.log('before'); const flood = () => Promise.resolve().then(flood).then(flood); flood(); await new Promise(() => {})",
    ],
    ["javascript", "console.log('before'); setInterval(() => {}, 1)"],
    ["python", "print('before')\nwhile True: pass"],
    [
      "python",
      "print('before')\nimport asyncio\nasync def flood():\n  while True: asyncio.ensure_future(asyncio.sleep(0)); await asyncio.sleep(0)\nawait flood()",
    ],
    ["bash", "echo before; while :; do :; done"],
    ["bash", "echo before; sleep 100"],
  ] as const)("%s that never ends is stopped at its timeout: %j", async (language, code) => {
    const outcome = await run(language, code, { timeoutMs: 700 });
    expect(outcome).toMatchObject({ exit: "timeout", exitCode: 124 });
    if (language !== "bash") expect(outcome.stdout).toBe("before\n");
  });

  test.each([
    ["javascript", "const all = []; for (;;) all.push(new Uint8Array(1e6).fill(1))"],
    ["javascript", "const all = []; for (;;) all.push('x'.repeat(1e6) + all.length)"],
    ["python", "all = []\nwhile True: all.append(bytearray(1000000))"],
    ["python", "x = bytearray(1024 * 1024 * 1024 * 2 - 1)"],
  ] as const)("%s that takes 2 GB is stopped at its memory limit: %j", async (language, code) => {
    expect(await run(language, code, { memoryMb: 64, timeoutMs: 30_000 })).toMatchObject({ exit: "memory" });
  });

  test.each([
    ["bash", ":(){ :|:& };:"],
    ["bash", "x=a; while :; do x=$x$x; done"],
    ["bash", "f() { f | f & f; }; f"],
    ["bash", "for i in {1..100000}; do a+=({1..1000}); done"],
  ] as const)("%s that multiplies itself ends: %j", async (language, code) => {
    const { exit } = await run(language, code, { memoryMb: 64, timeoutMs: 3000 });
    expect(["error", "timeout", "memory"]).toContain(exit);
  });

  test("excessive output is cut", async () => {
    const { stdout, exit } = await run("python", "for i in range(100000): print('x' * 100)");
    expect(exit).toBe("done");
    expect(stdout.length).toBe(256 * 1024);
  });

  test("deep recursion is the code's error, and the child survives", async () => {
    const outcome = await run("javascript", "const deep = () => deep() + 1; deep()");
    expect(outcome).toMatchObject({ exit: "error", stderr: expect.stringContaining("stack overflow") });
  });

  test("the server answers others while code uses the CPU in the sandbox", async () => {
    const burning = [
      run("python", "while True: pass", { timeoutMs: 1500 }),
      run("javascript", "for (;;);", { timeoutMs: 1500 }),
    ];
    let turns = 0;
    const ticks = setInterval(() => {
      turns += 1;
    }, 10);
    expect((await Promise.all(burning)).map(({ exit }) => exit)).toEqual(["timeout", "timeout"]);
    clearInterval(ticks);
    expect(turns).toBeGreaterThan(15); // of some 150 on a free machine; a blocked event loop has none
  });
});

describe("the pool", () => {
  test("cancelling ends the code immediately", async () => {
    const controller = new AbortController();
    const burning = sandbox.run({ ...codeRequest("python", "while True: pass"), signal: controller.signal });
    await sandbox.run(codeRequest("javascript", "1"));
    controller.abort();
    const result = await burning;
    if (result.ok) expect(result.value.exit).toBe("killed");
    else expect(result.failure.code).toBe("cancelled");
  });

  test("further runs are queued, and those beyond the queue limit are refused", async () => {
    const narrow = await openSandbox({ concurrency: 1, lineLength: 2 });
    const results = await Promise.all([1, 2, 3, 4].map((n) => narrow.run(codeRequest("javascript", `${n}`))));
    expect(results.map((result) => (result.ok ? result.value.result : result.failure.code))).toEqual([
      1,
      2,
      3,
      "sandbox_busy",
    ]);
    await narrow.close();
  });

  test("a language without its interpreter is refused with the package to install", async () => {
    const bare = await openSandbox({ searchFrom: join(tmpdir(), "nowhere", "x.js") });
    for (const language of LANGUAGES) {
      expect(bare.unavailable(language)).toMatch(/optional package .* is not installed/);
    }
    expect(await bare.run(codeRequest("python", "1"))).toMatchObject({
      failure: { code: "sandbox_unavailable" },
    });
    await bare.close();
  });
});

const run = (language: SandboxLanguage, code: string, options: CodeOptions = {}, where = sandbox) =>
  runCode(where, language, code, options);
