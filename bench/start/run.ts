/**
 * Time to the first response: our published server on a Postgres that has its schema, beside a LangGraph + PostgresSaver
 * server; on PGlite; from the sources; and the command line beside an empty Node. Interleaved. The first start after an
 * install, which finds no compiled code, is measured too, and LangGraph with Node's cache.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freshBuild } from "../fresh-build.ts";
import { startPostgres } from "../postgres.ts";
import { figure, median, report, versionOf } from "../result.ts";
import { type ServerOptions, startServer } from "../server.ts";

const ROUNDS = Number(process.argv[2] ?? 7);
const root = join(import.meta.dirname, "../..");
const built = freshBuild();

/** The build as an install would lay it out: our packages compiled, everything else as it is. */
const folder = mkdtempSync(join(tmpdir(), "capstan-bench-start-"));
mkdirSync(join(folder, "node_modules/@capstan"), { recursive: true });
for (const name of ["core", "client", "coding-agents", "builtins", "runtime", "server", "cli"]) {
  const place = join(folder, "node_modules/@capstan", name);
  spawnSync("cp", ["-r", join(built, name), place]);
}
symlinkSync(join(root, "node_modules"), join(folder, "node_modules/node_modules"));

async function once(options: ServerOptions): Promise<number> {
  const server = await startServer(options);
  await server.stop();
  return server.startMs;
}

const withVariable = (name: string, value: string, options: ServerOptions): ServerOptions => ({
  ...options,
  environment: { ...options.environment, [name]: value },
});

function command(...argv: string[]): number {
  const startedAt = performance.now();
  const { status, stderr } = spawnSync(process.execPath, argv, { encoding: "utf8" });
  if (status !== 0) throw new Error(stderr);
  return performance.now() - startedAt;
}

const postgres = await startPostgres();
for (const name of ["capstan", "langgraph"]) await postgres.create(name);
const main = join(folder, "node_modules/@capstan/server/dist/main.js");
const cli = join(folder, "node_modules/@capstan/cli/bin/capstan.mjs");
const dataDir = mkdtempSync(join(tmpdir(), "capstan-bench-data-"));
const onPostgres = { health: "/ready", environment: { DATABASE_URL: postgres.url("capstan") } };
const langgraph = {
  script: join(import.meta.dirname, "../runs/peers/langgraph.ts"),
  health: "/health",
  environment: { DATABASE_URL: postgres.url("langgraph"), MODEL_URL: "http://127.0.0.1:1" },
};
const started: Record<string, () => number | Promise<number>> = {
  capstan: () => once({ ...onPostgres, script: main }),
  langgraph: () => once(langgraph),
  first: () => once(withVariable("NODE_DISABLE_COMPILE_CACHE", "1", { ...onPostgres, script: main })),
  langgraphKept: () => once(withVariable("NODE_COMPILE_CACHE", join(folder, "langgraph-code"), langgraph)),
  pglite: () => once({ script: main, health: "/ready", dataDir }),
  source: () => once({ ...onPostgres, script: join(root, "packages/server/src/main.ts") }),
  cli: () => command(cli, "--version"),
  node: () => command("-e", "0"),
};
const times: Record<string, number[]> = {};
for (let round = 0; round <= ROUNDS; round++) {
  for (const [name, start] of Object.entries(started)) {
    const ms = await start();
    if (round > 0) times[name] = [...(times[name] ?? []), ms]; // the first makes schemas and fills caches
  }
}
await postgres.stop();
for (const gone of [folder, dataDir]) rmSync(gone, { recursive: true, force: true });
const of = (name: string) => times[name] ?? [];
const ratio = (own: string, peer: string) =>
  median(of(own).map((ms, at) => ms / (of(peer)[at] ?? Number.NaN)));
const row = (what: string, name: string) => ({
  "": what,
  "median ms": figure(median(of(name))),
  "best ms": figure(Math.min(...of(name))),
});
report({
  name: "start",
  question: "How long until the server responds?",
  method: `From spawn to the first successful response of /ready (ours: the published bundle, Postgres with its schema, a new data folder) or /health (a LangGraph server whose PostgresSaver is set up). ${ROUNDS} interleaved rounds after a warm-up round. Our server lets Node cache its compiled code next to the bundle, so a start reuses it; the first start after an install cannot, and LangGraph can do the same with NODE_COMPILE_CACHE: both are shown.`,
  goals: [
    {
      what: "cold start vs LangGraph + PostgresSaver",
      value: ratio("capstan", "langgraph"),
      atMost: 1,
      unit: "x",
    },
    {
      what: "the first start after an install vs LangGraph + PostgresSaver",
      value: ratio("first", "langgraph"),
      atMost: 1,
      unit: "x",
    },
    { what: "capstan --version vs node -e 0", value: ratio("cli", "node"), atMost: 2, unit: "x" },
  ],
  tables: [
    {
      title: "Cold start",
      rows: [
        row("Capstan on Postgres", "capstan"),
        row("Capstan on Postgres, first start after an install", "first"),
        row("Capstan on PGlite, existing folder", "pglite"),
        row("Capstan on Postgres, from the sources", "source"),
        row("LangGraph + PostgresSaver", "langgraph"),
        row("LangGraph + PostgresSaver, NODE_COMPILE_CACHE", "langgraphKept"),
        row("capstan --version", "cli"),
        row("node -e 0", "node"),
      ],
    },
  ],
  plots: [
    {
      title: "Cold start",
      unit: "ms",
      bars: [
        { label: "Capstan on Postgres", value: median(of("capstan")) },
        { label: "Capstan, first start", value: median(of("first")) },
        { label: "LangGraph + PostgresSaver", value: median(of("langgraph")) },
        { label: "Capstan on PGlite", value: median(of("pglite")) },
      ],
    },
  ],
  versions: { "@langchain/langgraph": versionOf("@langchain/langgraph") },
});
process.exit(0);
