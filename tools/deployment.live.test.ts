/**
 * Executes docs/deployment.md: its proxies run in front of a server, its unit is checked by systemd and
 * its command line started. The texts are taken from the page; only addresses and folders are changed.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { bareEnvironment } from "./bare-environment.ts";
import { freePort } from "./chaos/own-postgres.ts";
import { blocksOf, ROOT } from "./docs-blocks.ts";
import { llmEnvironment, type ScriptedLlm, scriptedLlm } from "./scripted-llm.ts";
import { type ServerProcess, serverProcess } from "./server-process.ts";
import { type FreshStore, freshPglite } from "./stores-under-test.ts";

const PUBLIC_HOST = "capstan.example.com";
const MEGABYTE = 1024 * 1024;
const page = readFileSync(join(ROOT, "docs/deployment.md"), "utf8");
const blocks = blocksOf("docs/deployment.md", page);
const block = (language: string): string => blocks.find((one) => one.language === language)?.text ?? "";

const PROXIES = [
  {
    name: "nginx",
    configuration: (port: number, folder: string, target: string) => {
      const site = block("nginx")
        .replace("listen 443 ssl;", `listen 127.0.0.1:${port};`)
        .replace("http://127.0.0.1:4400", target);
      const paths = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
      const temporary = paths.map((name) => `${name}_temp_path ${folder}/${name};`).join("\n");
      return `pid ${folder}/pid;\nerror_log ${folder}/error.log;\nevents {}\nhttp {\naccess_log off;\n${temporary}\n${site}\n}`;
    },
    arguments: (file: string) => ["-c", file, "-g", "daemon off;"],
  },
  {
    name: "caddy",
    configuration: (port: number, _folder: string, target: string) =>
      `{\nadmin off\nauto_https off\n}\n${block("caddyfile")
        .replace(PUBLIC_HOST, `http://${PUBLIC_HOST}:${port}`)
        .replace("127.0.0.1:4400", target.replace("http://", ""))}`,
    arguments: (file: string) => ["run", "--adapter", "caddyfile", "--config", file],
  },
];

const folder = mkdtempSync(join(tmpdir(), "capstan-deployment-"));
chmodSync(folder, 0o755);
let llm: ScriptedLlm;
let store: FreshStore;
let server: ServerProcess;
/** Made by the command of the page, and used through the proxies. */
let key: string;
beforeAll(async () => {
  llm = await scriptedLlm(() => ({ text: ["one ", "two"] }));
  store = await freshPglite();
  server = await serverProcess(store, { ...llmEnvironment(llm), CAPSTAN_PUBLIC_HOSTS: PUBLIC_HOST });
  key = firstKey(server);
});
afterAll(async () => {
  await server.end();
  await llm.close();
  await store.drop();
  rmSync(folder, { recursive: true, force: true });
});

describe.each(PROXIES)("behind $name as the page sets it up", ({ name, configuration, arguments: given }) => {
  const isThere = spawnSync(name, ["version"]).error === undefined;
  let proxy: ChildProcess;
  let port: number;
  beforeAll(async () => {
    if (!isThere) return;
    port = await freePort();
    const own = join(folder, name);
    mkdirSync(own, { mode: 0o777 });
    const file = join(own, "configuration");
    writeFileSync(file, configuration(port, own, server.url));
    const environment = { PATH: process.env.PATH ?? "", HOME: own, XDG_DATA_HOME: own, XDG_CONFIG_HOME: own };
    proxy = spawn(name, given(file), { env: environment, stdio: "ignore" });
    await vi.waitFor(async () => expect((await ask("GET", "/health")).status).toBe(200), 20_000);
  });
  afterAll(() => proxy?.kill("SIGTERM"));

  interface Asked {
    readonly key?: string;
    readonly body?: Buffer;
    readonly headers?: Record<string, string>;
    /** True: that was enough. */
    readonly onText?: (text: string) => boolean;
  }
  const ask = (method: string, path: string, { key: sent, body, headers, onText }: Asked = {}) =>
    new Promise<{ status: number; text: string }>((resolve, reject) => {
      const all = { host: PUBLIC_HOST, ...(sent && { authorization: `Bearer ${sent}` }), ...headers };
      const asked = request({ host: "127.0.0.1", port, method, path, headers: all }, (response) => {
        let text = "";
        response.on("data", (bytes) => {
          text += bytes;
          if (onText?.(text) !== true) return;
          resolve({ status: response.statusCode ?? 0, text });
          asked.destroy();
        });
        response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
        response.on("error", () => {});
      });
      asked.on("error", reject);
      asked.end(body);
    });

  test("the key created by the page's command is required, although the proxy connects from loopback; directly to the server none is", async ({
    skip,
  }) => {
    if (!isThere) return skip(`${name} is not installed`);
    expect((await ask("GET", "/v1/agents")).status).toBe(401);
    expect((await ask("GET", "/v1/agents", { key: "wrong" })).status).toBe(401);
    expect((await ask("GET", "/v1/agents", { key })).status).toBe(200);
    expect((await server.call("GET", "/v1/agents")).status).toBe(200);
  });

  test("a client that pretends to be on this machine still needs a key", async ({ skip }) => {
    if (!isThere) return skip(`${name} is not installed`);
    for (const headers of [{ "x-forwarded-for": "127.0.0.1" }, { "x-real-ip": "127.0.0.1" }])
      expect((await ask("GET", "/v1/agents", { headers })).status).toBe(401);
    const other = await ask("GET", "/v1/agents", { headers: { host: "localhost" } });
    expect([401, 200]).toContain(other.status); // caddy answers other hosts itself, with nothing
    expect(other.text).not.toContain("items");
  });

  test("a page of the same host may send requests, a page of another may not", async ({ skip }) => {
    if (!isThere) return skip(`${name} is not installed`);
    const from = (origin: string) => ask("GET", "/v1/agents", { key, headers: { origin } });
    expect((await from(`https://${PUBLIC_HOST}`)).status).toBe(200);
    expect((await from("https://elsewhere.example.com")).status).toBe(403);
  });

  test("events arrive during the run: nothing is buffered", async ({ skip }) => {
    if (!isThere) return skip(`${name} is not installed`);
    let finish = () => {};
    const until = new Promise<void>((resolve) => {
      finish = resolve;
    });
    llm.script = () => ({ text: ["early ", "late"], until });
    const agent = JSON.parse((await posted("/v1/agents", { name: "Streams" })).text).id;
    const session = JSON.parse((await posted("/v1/sessions", { agent_id: agent })).text).id;
    await posted(`/v1/sessions/${session}/messages`, { content: "go" });
    const { text } = await ask("GET", `/v1/sessions/${session}/events`, {
      key,
      headers: { accept: "text/event-stream" },
      onText: (seen) => {
        if (seen.includes("early")) finish(); // the model says the rest only once this has come through
        return seen.includes("RUN_FINISHED");
      },
    });
    expect(text).toContain("late");
  });

  test("a file of 10 MB passes completely, a larger one is refused by the server with a message", async ({
    skip,
  }) => {
    if (!isThere) return skip(`${name} is not installed`);
    const session = JSON.parse((await posted("/v1/sessions", {})).text).id;
    const put = (file: string, bytes: number) =>
      ask("PUT", `/v1/sessions/${session}/files/${file}`, {
        key,
        body: Buffer.alloc(bytes, 7),
        headers: { "content-type": "application/octet-stream" },
      });
    expect((await put("whole.bin", 10 * MEGABYTE)).status).toBe(201);
    const refused = await put("larger.bin", 10 * MEGABYTE + 1);
    expect(refused.status).toBe(413);
    expect(JSON.parse(refused.text)).toMatchObject({ nextStep: expect.any(String) });
    expect(
      (await ask("GET", `/v1/sessions/${session}/files/whole.bin`, { key })).text.length,
    ).toBeGreaterThan(0);
  });

  const posted = (path: string, body: object) =>
    ask("POST", path, {
      key,
      body: Buffer.from(JSON.stringify(body)),
      headers: { "content-type": "application/json" },
    });
});

describe("the systemd unit", () => {
  const unit = block("ini");
  const setting = (name: string) => new RegExp(`^${name}=(.*)$`, "m").exec(unit)?.[1] ?? "";
  const command = setting("ExecStart")
    .split(" ")
    .map((word) => word.replace("/opt/capstan/", ROOT));

  test("contains nothing that systemd does not know", ({ skip }) => {
    if (spawnSync("systemd-analyze", ["--version"]).error) return skip("systemd-analyze is not installed");
    const file = join(folder, "capstan.service");
    const start = command.map((word) => `"${word}"`).join(" "); // the checkout may be in a folder with spaces
    writeFileSync(file, unit.replace(/^(ExecStart=).*$/m, `$1${start}`).replace("/opt/capstan", ROOT));
    const { status, stderr, stdout } = spawnSync("systemd-analyze", ["verify", file], { encoding: "utf8" });
    expect(`${stdout}${stderr}`.split("\n").filter((line) => line.includes("capstan.service"))).toEqual([]);
    expect(status).toBe(0);
  });

  test("starts a server by its own command line, which stops cleanly", async () => {
    const { dataDir, drop } = await freshPglite();
    const [program = "", ...rest] = command;
    const [, folderSetting = ""] = /^CAPSTAN_DATA_DIR=(\S*)/.exec(setting("Environment")) ?? [];
    expect(folderSetting).toBe(`/var/lib/${setting("StateDirectory")}`);
    const port = await freePort();
    const child = spawn(program, rest, {
      cwd: ROOT,
      env: { CAPSTAN_DATA_DIR: dataDir, PORT: String(port) }, // a unit has no PATH of a shell
      stdio: "ignore",
    });
    await vi.waitFor(async () => expect((await fetch(`http://127.0.0.1:${port}/ready`)).status).toBe(200), {
      timeout: 60_000,
    });
    const ended = new Promise((resolve) => child.once("exit", (code, signal) => resolve(code ?? signal)));
    child.kill("SIGTERM");
    expect(await ended).toBe(0);
    await drop();
  });
});

/** On the machine itself, while the server is bound to loopback. */
function firstKey({ url }: ServerProcess): string {
  const words = /capstan (keys create .*?)\s*(#|$)/m.exec(page)?.[1]?.split(" ") ?? [];
  const cli = join(ROOT, "packages/cli/src/main.ts");
  const environment = { ...bareEnvironment(), PORT: new URL(url).port };
  const out = execFileSync(process.execPath, [cli, ...words], { env: environment, encoding: "utf8" });
  return /\b[\w-]{30,}\b/.exec(out)?.[0] ?? "";
}
