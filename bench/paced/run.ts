/**
 * Many answers streamed at reading pace: how late each word arrives, and whether every event does. The model is inside the
 * server's process and says 30 words a second; each word carries its due time. The load is raised until it fails.
 * `node run.ts [seconds] [runs,runs,...]`
 */
import { randomUUID } from "node:crypto";
import http from "node:http";
import { join } from "node:path";
import { type BenchPostgres, startPostgres } from "../postgres.ts";
import { figure, percentile, report } from "../result.ts";
import { type BenchServer, cpuMs, mostMemoryMb, sleep, startServer } from "../server.ts";

const [seconds = "8", counts = "125,250,500,1000"] = process.argv.slice(2);
const WORDS = Number(seconds) * 30;
const START_WITHIN_MS = 3000;
const BROKEN_MS = 1000; // a word that comes a second late is not streaming any more
const here = import.meta.dirname;
const clock = () => performance.timeOrigin + performance.now();

interface Stage {
  readonly runs: number;
  readonly p50: number;
  readonly p99: number;
  readonly most: number;
  readonly lost: number;
  readonly cpuPercent: number;
  readonly memoryMb: number;
}

async function agentOf({ url }: BenchServer): Promise<string> {
  const made = await fetch(`${url}/v1/agents`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ name: "paced", capabilities: [], model: "bench/paced" }),
  });
  if (!made.ok) throw new Error(await made.text());
  return ((await made.json()) as { id: string }).id;
}

const agent = new http.Agent({ keepAlive: true, maxSockets: 10_000 });

/** One run followed over AG-UI: the delay of each word, and how many are missing. */
function follow(port: number, path: string, delays: number[]): Promise<number> {
  const body = JSON.stringify({
    threadId: randomUUID(),
    runId: randomUUID(),
    messages: [{ id: randomUUID(), role: "user", content: "Speak." }],
    tools: [],
    context: [],
    state: {},
  });
  return new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json" };
    const request = http.request(
      { port, host: "127.0.0.1", method: "POST", path, agent, headers },
      (answer) => {
        let words = 0;
        let numbers = 0;
        let last = 0;
        let tail = "";
        let ended = false;
        answer.setEncoding("latin1");
        answer.on("data", (part: string) => {
          const now = clock();
          const text = tail + part;
          const cut = text.lastIndexOf("\n\n") + 2;
          tail = text.slice(cut);
          const whole = text.slice(0, cut);
          for (const [, due] of whole.matchAll(/@(\d+\.\d+) /g)) {
            delays.push(now - Number(due));
            words++;
          }
          for (const [, seq] of whole.matchAll(/^id: (\d+)$/gm)) {
            if (last !== 0 && Number(seq) !== last + 1) numbers++;
            last = Number(seq);
          }
          ended ||= whole.includes('"RUN_FINISHED"');
        });
        answer.on("end", () => resolve(WORDS - words + numbers + (ended ? 0 : 1)));
      },
    );
    request.on("error", reject);
    request.end(body);
  });
}

async function stage(postgres: BenchPostgres, runs: number): Promise<Stage> {
  const database = `paced${runs}`;
  await postgres.create(database);
  const server = await startServer({
    script: join(here, "server.ts"),
    health: "/ready",
    environment: { DATABASE_URL: postgres.url(database), BENCH_WORDS: String(WORDS) },
  });
  try {
    const path = `/v1/agents/${await agentOf(server)}/ag-ui`;
    const warm: number[] = [];
    await Promise.all(Array.from({ length: 20 }, () => follow(server.port, path, warm)));
    const delays: number[] = [];
    const before = cpuMs(server.pid);
    const startedAt = performance.now();
    const lost = await Promise.all(
      Array.from({ length: runs }, async (_, at) => {
        await sleep((at * START_WITHIN_MS) / runs);
        return follow(server.port, path, delays);
      }),
    );
    return {
      runs,
      p50: percentile(delays, 0.5),
      p99: percentile(delays, 0.99),
      most: percentile(delays, 1),
      lost: lost.reduce((sum, each) => sum + each, 0),
      cpuPercent: ((cpuMs(server.pid) - before) / (performance.now() - startedAt)) * 100,
      memoryMb: mostMemoryMb(server.pid),
    };
  } finally {
    await server.stop();
  }
}

const postgres = await startPostgres();
const stages: Stage[] = [];
for (const runs of counts.split(",").map(Number)) {
  const result = await stage(postgres, runs);
  console.log(`${runs} runs: p99 ${result.p99.toFixed(0)} ms, lost ${result.lost}`);
  stages.push(result);
  if (result.p99 > BROKEN_MS) break;
}
await postgres.stop();
const asked = stages.find(({ runs }) => runs === 500);
const knee = stages.findLast(({ p99 }) => p99 < 150);
report({
  name: "paced",
  question: "How late is each word when hundreds of answers stream at once?",
  method: `Each run streams ${WORDS} words at 30 a second from a model inside the server's process to its own AG-UI client; all run at the same time, started within ${START_WITHIN_MS / 1000} s. Every event is stored in Postgres (fsync on) before it is sent. The delay is measured from the moment a word was due until it reaches the client; server, database and clients share the machine. A process runs at most 500 segments at once; the others are queued, and their words are due from when they start.`,
  goals: [
    { what: "p99 delay of a word, 500 runs", value: asked?.p99 ?? Number.NaN, atMost: 150, unit: " ms" },
    { what: "events lost, 500 runs", value: asked?.lost ?? Number.NaN, atMost: 0, unit: "" },
  ],
  tables: [
    {
      title: `Load raised until it breaks; the knee: ${knee?.runs ?? 0} runs`,
      rows: stages.map(({ runs, p50, p99, most, lost, cpuPercent, memoryMb }) => ({
        runs,
        "p50 ms": figure(p50),
        "p99 ms": figure(p99),
        "most ms": figure(most),
        "events lost": lost,
        "server CPU %": figure(cpuPercent),
        "server MB": figure(memoryMb),
      })),
    },
  ],
  plots: [
    {
      title: "p99 delay of a word",
      unit: "ms",
      bars: stages.map(({ runs, p99 }) => ({ label: `${runs} runs`, value: p99 })),
    },
  ],
});
process.exit(0);
