import { readFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import type { SandboxLanguage } from "@capstan/core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type CodeOptions, codeRequest, runCode } from "../../../../tools/sandbox-under-test.ts";
import { type ManagedSandbox, openSandbox } from "./open-sandbox.ts";

let sandbox: ManagedSandbox;
beforeAll(async () => {
  sandbox = await openSandbox();
});
afterAll(() => sandbox.close());

/** Each attempt separately; a new Python takes seconds to start, so they share one. */
const PYTHON_PROBES = `
import os, subprocess
seen = {}
def attempt(name, run):
  try: seen[name] = repr(run())
  except BaseException as error: seen[name] = type(error).__name__
def use(name):
  import js
  return getattr(js, name)
attempt("js.process", lambda: use("process"))
attempt("js.fetch", lambda: use("fetch"))
attempt("pyodide_js", lambda: __import__("pyodide_js").FS)
from pyodide.ffi import to_js
attempt("constructor.constructor", lambda: to_js([1]).constructor.constructor("return process")())
from pyodide.code import run_js
attempt("run_js", lambda: run_js("process"))
attempt("passwd", lambda: open("/etc/passwd").read())
attempt("subprocess", lambda: subprocess.run(["id"]))
attempt("fork", lambda: os.fork())
seen["environ"] = sorted(os.environ)
seen`;

describe("each language", () => {
  test.each([
    ["javascript", "console.log('hi'); console.error('oh'); 6 * 7", 42],
    ["javascript", "const add = async () => 6 * 7; add()", 42],
    ["javascript", "import { answer } from './lib/answer.js'; export default answer", 42],
    ["javascript", "await new Promise((done) => setTimeout(done, 5)); [1, { a: 2n }]", [1, { a: "2n" }]],
    ["python", "import sys\nprint('hi')\nprint('oh', file=sys.stderr)\n6 * 7", 42],
    [
      "python",
      "import asyncio\nasync def f():\n  await asyncio.sleep(0.01)\n  return {'a': [1, None]}\nawait f()",
      { a: [1, null] },
    ],
    ["python", "import lib.answer\nlib.answer.answer", 42],
  ] as const)("%s returns the value of %j", async (language, code, value) => {
    const files = { "/lib/answer.js": "export const answer = 42;", "/lib/answer.py": "answer = 42" };
    expect(await run(language, code, { files })).toMatchObject({ exit: "done", exitCode: 0, result: value });
  });

  test.each([
    ["javascript", "console.log('héllo'); console.error('oh')"],
    ["python", "import sys; print('héllo'); print('oh', file=sys.stderr)"],
    ["bash", "echo héllo; echo oh >&2"],
  ] as const)("%s captures stdout and stderr separately", async (language, code) => {
    expect(await run(language, code)).toMatchObject({ stdout: "héllo\n", stderr: "oh\n" });
  });

  test.each([
    ["javascript", "throw new TypeError('no tea')", "TypeError: no tea"],
    ["javascript", "let = = 3", "SyntaxError"],
    ["javascript", "await Promise.reject(new Error('late'))", "Error: late"],
    ["python", "raise ValueError('no tea')", 'File "main.py", line 1'],
    ["bash", "no-such-command", "command not found"],
  ] as const)("%s reports what went wrong with %j", async (language, code, says) => {
    const outcome = await run(language, code);
    expect(outcome).toMatchObject({ exit: "error" });
    expect(outcome.exitCode).not.toBe(0);
    expect(outcome.stderr).toContain(says);
  });

  test.each([
    ["javascript", "process.exit(3)"],
    ["python", "import sys; sys.exit(3)"],
    ["bash", "exit 3"],
  ] as const)("%s exits with its own exit code", async (language, code) => {
    expect(await run(language, code)).toMatchObject({ exit: "error", exitCode: 3 });
  });
});

describe("the session's files", () => {
  const files = { "/data/in.txt": "tides", "/old.txt": "old", "/same.txt": "same" };
  test.each([
    [
      "javascript",
      "const fs = require('node:fs'); fs.writeFileSync('/out/a.txt', fs.readFileSync('data/in.txt', 'utf8').toUpperCase()); fs.unlinkSync('/old.txt'); fs.writeFileSync('bin.dat', new Uint8Array([0, 255]))",
    ],
    [
      "python",
      "import os\nos.makedirs('/out')\nopen('/out/a.txt', 'w').write(open('data/in.txt').read().upper())\nos.remove('/old.txt')\nopen('bin.dat', 'wb').write(bytes([0, 255]))",
    ],
    [
      "bash",
      "mkdir /out; tr a-z A-Z < data/in.txt > /out/a.txt; rm /old.txt; echo AP8= | base64 -d > bin.dat",
    ],
  ] as const)("%s reads them, and what it wrote, changed and deleted is returned", async (language, code) => {
    const { exit, stderr, changed } = await run(language, code, { files });
    expect({ exit, stderr }).toEqual({ exit: "done", stderr: "" });
    const seen = Object.fromEntries([...changed].map(([path, bytes]) => [path, bytes && [...bytes]]));
    expect(seen).toEqual({
      "/out/a.txt": [...Buffer.from("TIDES")],
      "/old.txt": null,
      "/bin.dat": [0, 255],
    });
  });

  test("more than the limit is refused as a whole", async () => {
    const small = await openSandbox({ fileBytes: 1000 });
    const outcome = await run("python", "open('/big', 'w').write('x' * 2000)", {}, small);
    expect(outcome).toMatchObject({ exit: "error", stderr: expect.stringContaining("the limit is 1000") });
    expect(outcome.changed.size).toBe(0);
    const refused = await small.run(codeRequest("bash", "true", { files: { "/a": "x".repeat(1001) } }));
    expect(refused).toMatchObject({ ok: false, failure: { code: "sandbox_too_large", status: 413 } });
    await small.close();
  });
});

describe("one run and the next", () => {
  test.each([
    [
      "javascript",
      "globalThis.kept = 1; Object.prototype.kept = 1; fs.writeFileSync('/kept', 'x')",
      "[typeof kept, ({}).kept, fs.existsSync('/kept')]",
      ["undefined", null, false],
    ],
    [
      "python",
      "import builtins, sys, os\nbuiltins.kept = 1\nsys.kept = 1\nos.environ['KEPT'] = '1'\nopen('/tmp/kept', 'w').write('x')",
      "import builtins, sys, os\n[hasattr(builtins, 'kept'), hasattr(sys, 'kept'), 'KEPT' in os.environ, os.path.exists('/tmp/kept')]",
      [false, false, false, false],
    ],
  ] as const)("share nothing in %s", async (language, leave, look, nothing) => {
    expect(await run(language, leave)).toMatchObject({ exit: "done" });
    expect(await run(language, look)).toMatchObject({ exit: "done", result: nothing });
  });

  test("start from one snapshot in Python, with different random numbers", async () => {
    const draws = new Set<unknown>();
    for (let round = 0; round < 3; round += 1) {
      draws.add((await run("python", "import random\nrandom.random()")).result);
    }
    expect(draws.size).toBe(3); // the first creates the snapshot, the other two start from it
  });

  test("share nothing in bash", async () => {
    await run("bash", "export KEPT=1; kept() { echo kept; }; echo x > /tmp/kept; cd /tmp");
    const { stdout } = await run("bash", 'echo "[$KEPT]"; kept 2>/dev/null; ls /tmp 2>/dev/null; pwd');
    expect(stdout).toBe("[]\n/\n");
  });

  test.each([
    ["javascript", "1", true],
    ["bash", "true", false],
  ] as const)("in %s of %j: the child serves the next one too: %j", async (language, code, again) => {
    const own = await openSandbox();
    await own.warm(language);
    const [pid] = own.childPids();
    await run(language, code, {}, own);
    expect(own.childPids().includes(pid ?? 0)).toBe(again);
    await run(language, code, {}, own);
    await own.close();
    expect(own.childPids()).toEqual([]);
  });
});

describe("code that tries to escape", () => {
  test.each([
    ["javascript", "constructor.constructor('return process')().env.PATH ?? 'nothing'", "nothing"],
    [
      "javascript",
      "[typeof fetch, typeof XMLHttpRequest, typeof WebAssembly, typeof Deno]",
      Array(4).fill("undefined"),
    ],
    ["javascript", "try { fs.readFileSync('/etc/passwd') } catch (error) { error.code }", "ENOENT"],
    [
      "javascript",
      "try { fs.readFileSync('../../../../etc/passwd') } catch (error) { error.code }",
      "ENOENT",
    ],
    ["javascript", "try { require('child_process') } catch (error) { error.code }", "MODULE_NOT_FOUND"],
  ] as const)("%s finds nothing with %j", async (language, code, found) => {
    expect(await run(language, code)).toMatchObject({ exit: "done", result: found });
  });

  test.each([
    ["bash", "cat /etc/passwd", "No such file"],
    ["bash", "curl http://127.0.0.1:4400", "command not found"],
    ["bash", "cat /proc/1/environ", "No such file"],
  ] as const)("%s fails at %j", async (language, code, says) => {
    const outcome = await run(language, code);
    expect(outcome.exit).toBe("error");
    expect(outcome.stderr).toContain(says);
  });

  test("python can access neither JavaScript nor the machine", async () => {
    const { result } = await run("python", PYTHON_PROBES);
    expect(result).toEqual({
      "js.process": "AttributeError",
      "js.fetch": "AttributeError",
      pyodide_js: "ModuleNotFoundError",
      "constructor.constructor": "JsException",
      run_js: "ImportError",
      passwd: "FileNotFoundError",
      subprocess: "OSError",
      fork: "OSError",
      environ: ["HOME", "LANG", "PATH", "PYTHONDONTWRITEBYTECODE", "PYTHONINSPECT", "TZ"],
    });
  });

  test("python can ask who it is and gets an answer that reveals nothing of the server", async () => {
    const code = "import os, getpass\nprint(os.getuid(), os.geteuid(), os.getgid(), os.getegid())";
    const outcome = await run("python", code);
    expect(outcome).toMatchObject({ exitCode: 0, stdout: "1000 1000 1000 1000\n" });
  });

  test("python cannot reach a server on this machine", async () => {
    let connections = 0;
    const server = createServer((socket) => {
      connections += 1;
      socket.end("HTTP/1.1 200 OK\r\n\r\nhere");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    const code = `import socket, urllib.request
def attempt(run):
  try: return str(run())
  except BaseException as error: return type(error).__name__
def talk():
  s = socket.create_connection(("127.0.0.1", ${port}), timeout=1)
  s.sendall(b"GET / HTTP/1.1\\r\\n\\r\\n")
  return s.recv(100)
[attempt(lambda: urllib.request.urlopen("http://127.0.0.1:${port}").read()), attempt(talk)]`;
    const { result } = await run("python", code);
    server.close();
    expect(connections).toBe(0);
    expect(JSON.stringify(result)).not.toContain("here");
  });

  test("the child has neither the server's environment nor its user", async () => {
    process.env.CAPSTAN_SANDBOX_SECRET = "tell nobody";
    const { stdout } = await run("bash", "env; whoami");
    expect(stdout).not.toContain("SECRET");
    const own = await openSandbox();
    const { pid, environ, uid } = await inspectChild(own);
    expect(pid).toBeGreaterThan(0);
    expect(environ).toBe("");
    if (process.getuid?.() === 0) expect(uid).toBeGreaterThanOrEqual(65_534);
    delete process.env.CAPSTAN_SANDBOX_SECRET;
    await own.close();
  });

  test("a child that outlives its server is ended by its CPU time limit", async () => {
    const own = await openSandbox();
    const { pid } = await inspectChild(own);
    const limits = readFileSync(`/proc/${pid}/limits`, "utf8");
    expect(limits).toMatch(/^Max cpu time\s+900\s/m);
    expect(limits).toMatch(/^Max core file size\s+0\s/m);
    await own.close();
  });

  test("a child has no network, where the system allows that", async () => {
    if (sandbox.isolation.network !== "namespace") {
      expect(sandbox.isolation.notes.join(" ")).toContain("no network namespace");
      return;
    }
    const own = await openSandbox();
    const { pid } = await inspectChild(own);
    const interfaces = readFileSync(`/proc/${pid}/net/dev`, "utf8").trim().split("\n").slice(2);
    expect(interfaces.map((line) => line.split(":")[0]?.trim())).toEqual(["lo"]);
    await own.close();
  });
});

const run = (language: SandboxLanguage, code: string, options: CodeOptions = {}, where = sandbox) =>
  runCode(where, language, code, options);

/** Inspects a running child from outside, as only a test may. */
async function inspectChild(own: ManagedSandbox) {
  await own.warm("javascript");
  const [pid = 0] = own.childPids();
  const environ = readFileSync(`/proc/${pid}/environ`, "utf8");
  const uid = Number(/^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
  return { pid, environ, uid };
}
