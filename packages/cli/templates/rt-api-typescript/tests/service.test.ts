/** Run with: npm test */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Pool, RateLimit } from "../src/service.ts";

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const home = mkdtempSync(join(tmpdir(), "TEMPLATE_SERVICE-"));
const folder = () => mkdtempSync(join(home, "data-"));
let running: ChildProcess | undefined;
afterEach(async () => {
  if (running?.kill("SIGKILL")) await once(running, "exit");
});
after(() => rmSync(home, { recursive: true }));

async function start(perMinute = "1000"): Promise<string> {
  const env = {
    ...process.env,
    HOST: "127.0.0.1",
    PORT: "0",
    DATA_DIR: folder(),
    REQUESTS_PER_MINUTE: perMinute,
  };
  const child = spawn(process.execPath, [at("../src/main.ts")], { env, stdio: ["ignore", "pipe", "ignore"] });
  running = child;
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  return `http://127.0.0.1:${/:(\d+)\s*$/.exec(line.toString())?.[1]}`;
}

async function command(
  url: string,
  ...args: string[]
): Promise<{ status: number; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, [at("../cli/src/main.ts"), ...args], {
    env: { ...process.env, SERVICE_URL: url },
  });
  const said = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) child[name].on("data", (chunk) => (said[name] += chunk));
  const [status] = (await once(child, "close")) as [number];
  return { status, ...said };
}

test("/health answers 200", async () => {
  const answer = await fetch(`${await start()}/health`);
  assert.deepEqual([answer.status, await answer.json()], [200, { status: "ok" }]);
});

test("the command adds once and finds", async () => {
  const url = await start();
  for (const _ of [1, 2])
    assert.equal(JSON.parse((await command(url, "add", "Replace the router", "--json")).stdout).id, 1);
  const found = JSON.parse((await command(url, "query", "--filter", "router", "--json")).stdout);
  assert.deepEqual(
    found.map(({ title }: { title: string }) => title),
    ["Replace the router"],
  );
});

test("errors are JSON and the command fails with them", async () => {
  const url = await start();
  assert.ok("error" in ((await (await fetch(`${url}/nothing`)).json()) as object));
  const refused = await command(url, "add", " ", "--json");
  assert.deepEqual([refused.status, refused.stdout], [1, ""]);
  assert.match(refused.stderr, /400/);
});

test("an unreachable service is an error, not a crash", async () => {
  const refused = await command("http://127.0.0.1:9", "query", "--json");
  assert.equal(refused.status, 1);
  assert.match(refused.stderr, /does not answer/);
});

test("a client above the rate limit gets 429, and /health still answers", async () => {
  const url = await start("3");
  const statuses: number[] = [];
  for (const _ of [1, 2, 3, 4, 5]) statuses.push((await fetch(`${url}/items`)).status);
  assert.deepEqual(statuses, [200, 200, 200, 429, 429]);
  assert.equal((await fetch(`${url}/health`)).status, 200);
});

test("a client may ask again after a while", () => {
  const limit = new RateLimit(60);
  for (let count = 0; count < 60; count++) assert.ok(limit.allows("a", 0));
  assert.equal(limit.allows("a", 0), false);
  assert.ok(limit.allows("a", 1000));
});

test("connections are reused", () => {
  const pool = new Pool(join(folder(), "state.sqlite"), 2);
  const seen = new Set<unknown>();
  for (let count = 0; count < 20; count++) pool.use((connection) => seen.add(connection));
  pool.close();
  assert.deepEqual([pool.opened, seen.size], [2, 2]);
});

test("SIGTERM stops it cleanly", async () => {
  await start();
  running?.kill("SIGTERM");
  assert.deepEqual(await once(running as ChildProcess, "exit"), [0, null]);
});
