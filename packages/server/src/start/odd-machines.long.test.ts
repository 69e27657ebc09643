/** A server in unusual conditions: nobody reads its output, its terminal closes, its address is taken, it has no key. */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { type SpawnedServer, spawnServer } from "../../../../tools/server-process.ts";
import { freshPglite } from "../../../../tools/stores-under-test.ts";
import { reachServer } from "../../../cli/src/local-server.ts";
import { runCommand } from "../../../cli/src/run-command.ts";

const undo: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

describe("a server keeps running", () => {
  test("when nobody reads its output any more, even when it logs", async () => {
    const spawned = await started();
    const server = await spawned.ready;
    spawned.child.stdout?.destroy();
    spawned.child.stderr?.destroy();
    await spawned.store.drop(); // what it finds out next goes to its log
    await server.call("POST", "/v1/agents", { name: "Unheard", capabilities: ["test_math"] });
    expect((await server.call("GET", "/health")).status).toBe(200);
  });

  test("when it gets a SIGHUP for a terminal it is not attached to", async () => {
    const { ready, child } = await started();
    const server = await ready;
    child.kill("SIGHUP");
    expect((await server.call("GET", "/ready")).status).toBe(200);
  });
});

const hasTerminals = process.platform === "linux" && spawnSync("script", ["--version"]).status === 0;
test.skipIf(!hasTerminals)("a terminal that closes ends its server and the server's services", async () => {
  const store = await freshPglite();
  undo.push(() => store.drop());
  const inTerminal = (node: string, args: readonly string[]): [string, string[]] => [
    "script",
    ["--quiet", "--flush", "--command", [node, ...args].map((part) => `'${part}'`).join(" "), "/dev/null"],
  ];
  const terminal = spawnServer(store, {}, undefined, undefined, inTerminal);
  undo.push(() => terminal.end("SIGKILL"));
  const { call } = await terminal.ready;
  const server = Number(readFileSync(join(store.dataDir, "capstan.pid"), "utf8"));
  const started = await call("POST", "/v1/services/folder/start", { folder: serviceFolder() });
  expect(started.status).toBe(200);
  const { pid } = started.body;
  expect(isAlive(pid)).toBe(true);
  await terminal.end("SIGKILL"); // the terminal, not the server
  await expect.poll(() => isAlive(pid), { timeout: 30_000 }).toBe(false);
  await expect(call("GET", "/health")).rejects.toThrow();
  await expect.poll(() => isAlive(server), { timeout: 30_000 }).toBe(false);
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function serviceFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "capstan-rt-"));
  undo.push(async () => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "capstan-rt-tick");
  mkdirSync(path);
  const files = {
    "docker-compose.yml": "services:\n  tick:\n    build: .\n    env_file:\n      - .env\n",
    Dockerfile: 'FROM node:24-slim\nCMD ["node", "service.mjs"]\n',
    ".env": "DELEGATED_USER=local@localhost\n",
    "service.mjs":
      'import { createServer } from "node:http";\ncreateServer((_, answer) => answer.end("{}")).listen(Number(process.env.PORT), process.env.HOST);\n',
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text);
  return path;
}

describe("an address that cannot be listened on is refused with what helps", () => {
  test("because another program is using the port", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => taken.once("listening", resolve));
    undo.push(async () => taken.close());
    const address = taken.address();
    const port = String(typeof address === "object" && address ? address.port : 0);
    const { ready } = await started({ PORT: port });
    await expect(ready).rejects.toThrow(/another program is using it\.\n {2}Stop it, or choose another PORT/);
  });

  test.each([
    ["203.0.113.7", /does not have that address\.\n {2}Set HOST/],
    ["no-such-host.invalid", /that name does not resolve\.\n {2}Set HOST/],
  ])("because of HOST=%s", async (HOST, words) => {
    const { ready } = await started({ HOST });
    await expect(ready).rejects.toThrow(words);
  });
});

describe("a server that requires keys and has none", () => {
  test("says so at startup, and the owner of its data folder creates the first one", async () => {
    const { ready, store, output } = await started({ HOST: "0.0.0.0" });
    const { url, call } = await ready;
    expect(output()).toMatch(/key +none yet.*capstan keys create admin --right admin/);
    expect((await call("GET", "/v1/agents")).status).toBe(401);
    const local = url.replace("0.0.0.0", "127.0.0.1");
    const strangers = await typed(local, "/nowhere");
    expect(strangers).toMatchObject({
      code: 1,
      err: expect.stringContaining("the folder it was started in"),
    });
    const made = await typed(local, store.dataDir);
    const [key = ""] = /cap_\S+/.exec(made.out) ?? [];
    const headers = { authorization: `Bearer ${key}` };
    expect((await call("GET", "/v1/agents", undefined, headers)).status).toBe(200);
  });
});

async function started(environment: Record<string, string> = {}) {
  const store = await freshPglite();
  undo.push(() => store.drop());
  const server: SpawnedServer = spawnServer(store, environment);
  undo.push(() => server.end());
  let text = "";
  server.child.stdout?.on("data", (bytes) => {
    text += bytes;
  });
  return { ...server, store, output: () => text };
}

async function typed(url: string, dataDir: string) {
  let [out, err] = ["", ""];
  const environment = { CAPSTAN_URL: url, CAPSTAN_DATA_DIR: dataDir };
  const code = await runCommand(["keys", "create", "admin", "--right", "admin"], {
    environment,
    server: () => reachServer({ environment, say: () => {} }),
    terminal: {
      isInteractive: false,
      columns: 200,
      out: (text) => {
        out += text;
      },
      err: (text) => {
        err += text;
      },
      ask: async () => undefined,
      lines: async function* () {},
      onInterrupt: () => () => {},
    },
  });
  return { code, out, err };
}
