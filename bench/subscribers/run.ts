/** Memory per idle event subscriber, compared with Hono's `streamSSE`. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import http from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startPostgres } from "../postgres.ts";
import { figure, report, versionOf } from "../result.ts";
import { type BenchServer, type ServerOptions, sleep, startServer } from "../server.ts";

const WARM_UP = 2000; // what the process freed after its start is filled first, or a stream would seem to cost nothing
const COUNT = 1000;
const here = import.meta.dirname;
const memoryFile = join(mkdtempSync(join(tmpdir(), "capstan-bench-")), "memory.json");
/** Garbage is collected when asked, so that what is measured is what is held; the process then says what it holds. */
const SAY_MEMORY = `import { renameSync, writeFileSync } from "node:fs";
process.on("SIGUSR2", () => {
  gc(); gc();
  const { rss, heapUsed, external } = process.memoryUsage();
  writeFileSync("${memoryFile}.new", JSON.stringify({ rss, used: heapUsed + external }));
  renameSync("${memoryFile}.new", "${memoryFile}");
});`;
const NODE_OPTIONS = ["--expose-gc", "--import", `data:text/javascript,${encodeURIComponent(SAY_MEMORY)}`];

function open(port: number, path: string): Promise<http.ClientRequest> {
  return new Promise((resolve, reject) => {
    const request = http.get({ port, host: "127.0.0.1", path, agent: false }, (answer) => {
      if (answer.statusCode !== 200) reject(new Error(`${path} answered ${answer.statusCode}`));
      answer.once("data", () => resolve(request));
      answer.on("error", () => {});
    });
    request.on("error", reject);
  });
}

async function openMany(port: number, paths: readonly string[]): Promise<http.ClientRequest[]> {
  const opened: http.ClientRequest[] = [];
  for (let at = 0; at < paths.length; at += 50) {
    opened.push(...(await Promise.all(paths.slice(at, at + 50).map((path) => open(port, path)))));
  }
  return opened;
}

interface Held {
  readonly rss: number;
  readonly used: number;
}

async function held(server: BenchServer): Promise<Held> {
  let said: Held | undefined;
  for (let round = 0; round < 3; round++) {
    rmSync(memoryFile, { force: true });
    process.kill(server.pid, "SIGUSR2");
    while (!existsSync(memoryFile)) await sleep(20);
    said = JSON.parse(readFileSync(memoryFile, "utf8"));
    await sleep(200);
  }
  if (!said) throw new Error("the process does not say what it holds");
  return said;
}

interface PerStream {
  readonly residentKb: number;
  readonly usedKb: number;
  /** The larger of the two: pages that were free before are filled without the process growing. */
  readonly kb: number;
  readonly baseMb: number;
}

async function perStream(options: ServerOptions, paths: readonly string[]): Promise<PerStream> {
  const server = await startServer({ ...options, nodeOptions: NODE_OPTIONS });
  const warm = await openMany(server.port, paths.slice(0, WARM_UP));
  const before = await held(server);
  const streams = await openMany(server.port, paths.slice(WARM_UP));
  const after = await held(server);
  for (const stream of [...warm, ...streams]) stream.on("error", () => {}).destroy();
  await server.stop();
  const residentKb = (after.rss - before.rss) / 1024 / COUNT;
  const usedKb = (after.used - before.used) / 1024 / COUNT;
  return { residentKb, usedKb, kb: Math.max(residentKb, usedKb), baseMb: before.rss / 2 ** 20 };
}

async function sessions({ url }: BenchServer): Promise<string[]> {
  const paths: string[] = [];
  for (let at = 0; at < WARM_UP + COUNT; at++) {
    const made = await fetch(`${url}/v1/sessions`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: "{}",
    });
    const { id } = (await made.json()) as { id: string };
    paths.push(`/v1/sessions/${id}/events`);
  }
  return paths;
}

const rowOf = (name: string, { residentKb, usedKb, baseMb }: PerStream) => ({
  "": name,
  "resident KB each": figure(residentKb),
  "in use KB each": figure(usedKb),
  "process MB": figure(baseMb),
});

const postgres = await startPostgres();
await postgres.create("capstan");
const main = join(here, "../../packages/server/src/main.ts");
const environment = { DATABASE_URL: postgres.url("capstan") };
const script = { script: main, health: "/ready", environment };
const first = await startServer(script);
const paths = await sessions(first);
await first.stop(); // what making them left behind must not hide what following them costs
const own = await perStream(script, paths);
const peer = await perStream(
  { script: join(here, "hono.ts"), health: "/health" },
  Array.from({ length: WARM_UP + COUNT }, () => "/events"),
);
await postgres.stop();
report({
  name: "subscribers",
  question: "What does an idle event subscriber cost?",
  method: `${COUNT} clients each follow the events of their own idle session. Memory of the server process after a garbage collection, minus that with ${WARM_UP} clients, divided by ${COUNT}: the larger of resident memory and used memory.`,
  goals: [
    { what: "memory of an idle subscriber", value: own.kb, atMost: 45, unit: " KB" },
    { what: "vs Hono's streamSSE", value: own.kb / peer.kb, atMost: 1, unit: "x" },
  ],
  tables: [
    {
      title: "Idle subscribers",
      rows: [
        rowOf("Capstan, /v1/sessions/{id}/events", own),
        rowOf("Hono streamSSE, nothing behind it", peer),
      ],
    },
  ],
  plots: [
    {
      title: "Memory of an idle subscriber",
      unit: "KB",
      bars: [
        { label: "Capstan", value: own.kb },
        { label: "Hono streamSSE", value: peer.kb },
      ],
    },
  ],
  versions: { hono: versionOf("hono") },
});
process.exit(0);
