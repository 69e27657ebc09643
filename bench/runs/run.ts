/**
 * Durable turns beside peers: one tool call, then 50 streamed chunks, a model without latency, Postgres with fsync.
 * All servers are up at once and take turns of a second or two, so that what the machine does meanwhile hits all alike;
 * a ratio is the median of the ratios of neighbours in time. `node run.ts [rounds] [seconds] [variant,variant]`.
 */
import { join } from "node:path";
import { type BenchPostgres, type Counted, startPostgres } from "../postgres.ts";
import { figure, type Goal, median, report, versionOf } from "../result.ts";
import { type BenchServer, cpuMs, mostMemoryMb, startServer } from "../server.ts";
import { load, one } from "./load.ts";
import { startModel } from "./model-process.ts";
import { LANGGRAPH, MASTRA, OWN, OWN_EMBEDDED, type Turn, VARIANTS, type Variant } from "./variants.ts";

const [rounds = "5", seconds = "1.5", asked] = process.argv.slice(2);
const here = import.meta.dirname;
const CONCURRENCIES = [1, 16, 64] as const;
const WARM_UP_MS = 2500;
const milliseconds = Number(seconds) * 1000;

interface Running {
  readonly variant: Variant;
  readonly server: BenchServer;
  readonly turn: () => Turn;
  readonly rates: Map<number, number[]>;
  readonly firstTokenMs: number[];
  readonly cpuMsPerTurn: number[];
  perTurn?: Counted;
}

async function start(variant: Variant, postgres: BenchPostgres, modelUrl: string): Promise<Running> {
  if (variant.database) await postgres.create(variant.database);
  const server = await startServer({
    script: join(here, variant.script),
    health: variant.health,
    environment: {
      MODEL_URL: modelUrl,
      OPENAI_COMPATIBLE_BASE_URL: `${modelUrl}/v1`,
      ...(variant.database && { DATABASE_URL: postgres.url(variant.database) }),
      ...variant.environment,
    },
    ...(process.env.BENCH_PROFILE === variant.name && {
      nodeOptions: ["--cpu-prof", "--cpu-prof-dir=/tmp/capstan-profile"],
    }),
  });
  const turn = await variant.prepare(server.url);
  await one(server.port, turn());
  await load(server.port, turn, { concurrency: 16, milliseconds: WARM_UP_MS });
  return { variant, server, turn, rates: new Map(), firstTokenMs: [], cpuMsPerTurn: [] };
}

async function measure(running: Running, concurrency: number): Promise<void> {
  const { server, turn, rates } = running;
  const before = cpuMs(server.pid);
  const result = await load(server.port, turn, { concurrency, milliseconds });
  rates.set(concurrency, [...(rates.get(concurrency) ?? []), result.perSecond]);
  if (concurrency === 1) running.firstTokenMs.push(result.firstTokenMs);
  if (concurrency === 16) running.cpuMsPerTurn.push((cpuMs(server.pid) - before) / result.turns);
}

/** Statements and bytes of the log of a turn, with what follows it in the background. */
async function count(running: Running, postgres: BenchPostgres): Promise<void> {
  const { variant, server, turn } = running;
  if (!variant.database) return;
  const before = await postgres.counted(variant.database);
  const { turns } = await load(server.port, turn, { concurrency: 16, milliseconds });
  const after = await postgres.counted(variant.database);
  running.perTurn = {
    statements: (after.statements - before.statements) / turns,
    walBytes: (after.walBytes - before.walBytes) / turns,
  };
}

/** Of neighbours in time: the median over the rounds, and between which they were. */
function ratio(own: readonly number[] = [], peer: readonly number[] = []): Pick<Goal, "value" | "spread"> {
  const rounds = own.map((value, round) => value / (peer[round] ?? Number.NaN));
  return { value: median(rounds), spread: [Math.min(...rounds), Math.max(...rounds)] };
}

function goals(all: readonly Running[]): Goal[] {
  const of = (name: string) => all.find(({ variant }) => variant.name === name);
  const [own, embedded, langgraph, mastra] = [OWN, OWN_EMBEDDED, LANGGRAPH, MASTRA].map(of);
  const times = (a: Running | undefined, b: Running | undefined, concurrency: number) =>
    ratio(a?.rates.get(concurrency), b?.rates.get(concurrency));
  const first = (peer: Running | undefined) => ratio(own?.firstTokenMs, peer?.firstTokenMs);
  const unit = "x";
  const wanted: Goal[] = [
    { what: `turns/s at 16 vs ${LANGGRAPH}`, ...times(own, langgraph, 16), atLeast: 3, unit },
    { what: `turns/s at 16 vs ${MASTRA}`, ...times(own, mastra, 16), atLeast: 4, unit },
    { what: `turns/s at 1 vs ${LANGGRAPH}`, ...times(own, langgraph, 1), atLeast: 2, unit },
    { what: `turns/s at 1 vs ${MASTRA}`, ...times(own, mastra, 1), atLeast: 4, unit },
    { what: `time to first token vs ${LANGGRAPH}`, ...first(langgraph), atMost: 0.6, unit },
    { what: `time to first token vs ${MASTRA}`, ...first(mastra), atMost: 0.4, unit },
    {
      what: `turns/s at 16, embedded PGlite vs ${LANGGRAPH}`,
      ...times(embedded, langgraph, 16),
      atLeast: 2,
      unit,
    },
    { what: "SQL statements a turn", value: own?.perTurn?.statements ?? Number.NaN, atMost: 14, unit: "" },
    {
      what: "write-ahead log a turn",
      value: (own?.perTurn?.walBytes ?? Number.NaN) / 1024,
      atMost: 7,
      unit: " KB",
    },
  ];
  return wanted.filter(({ value }) => !Number.isNaN(value));
}

function rowOf({ variant, server, rates, firstTokenMs, cpuMsPerTurn, perTurn }: Running) {
  const rate = (concurrency: number) => figure(median(rates.get(concurrency) ?? []));
  return {
    "": variant.name,
    "turns/s at 1": rate(1),
    "at 16": rate(16),
    "at 64": rate(64),
    "first token ms": figure(median(firstTokenMs)),
    "CPU ms/turn": figure(median(cpuMsPerTurn)),
    "SQL/turn": perTurn ? figure(perTurn.statements) : "-",
    "WAL KB/turn": perTurn ? figure(perTurn.walBytes / 1024) : "-",
    "memory MB": figure(mostMemoryMb(server.pid)),
  };
}

const chosen = VARIANTS.filter(({ name }) => !asked || asked.split(",").some((part) => name.includes(part)));
const postgres = await startPostgres();
const all: Running[] = [];
try {
  const modelUrl = await startModel();
  for (const variant of chosen) all.push(await start(variant, postgres, modelUrl));
  for (const running of all) await count(running, postgres);
  for (let round = 0; round < Number(rounds); round++) {
    for (const concurrency of CONCURRENCIES) {
      for (const running of all) await measure(running, concurrency);
    }
  }
  report({
    name: "runs",
    question: "How many durable turns a second, and how fast is the first token?",
    method: `One turn: a user's message in a new thread, the model calls one tool, the tool runs, the model streams 50 chunks. The model is a loopback server without latency; Postgres has fsync on. Capstan passes the gate, records telemetry, stores every event and answers over AG-UI. ${rounds} interleaved rounds of ${seconds} s; ratios are medians over rounds.`,
    goals: goals(all),
    tables: [{ title: "Durable turns", rows: all.map(rowOf) }],
    plots: CONCURRENCIES.map((concurrency) => ({
      title: `Turns a second, ${concurrency} at once`,
      unit: "turns/s",
      bars: all.map(({ variant, rates }) => ({
        label: variant.name,
        value: median(rates.get(concurrency) ?? []),
      })),
    })),
    versions: {
      "@langchain/langgraph": versionOf("@langchain/langgraph"),
      "@langchain/langgraph-checkpoint-postgres": versionOf("@langchain/langgraph-checkpoint-postgres"),
      "@mastra/core": versionOf("@mastra/core"),
      "@mastra/pg": versionOf("@mastra/pg"),
      ai: versionOf("ai"),
    },
  });
} finally {
  for (const { server } of all) await server.stop();
  await postgres.stop();
}
process.exit(0);
