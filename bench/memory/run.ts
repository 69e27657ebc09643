/**
 * Memory of an idle server: 10 s after its first response, and the peak until then. Ours from the published bundle and
 * from the sources, with a new folder, an existing one and on Postgres, beside bare Node + PGlite in the same rounds.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freshBuild } from "../fresh-build.ts";
import { startPostgres } from "../postgres.ts";
import { figure, median, report } from "../result.ts";
import { memoryMb, mostMemoryMb, type ServerOptions, sleep, startServer } from "../server.ts";

const ROUNDS = Number(process.argv[2] ?? 3);
const IDLE_MS = 10_000;
const bundle = join(freshBuild(), "server/dist/main.js");
const sources = join(import.meta.dirname, "../../tools/start.mjs");
const bare = join(import.meta.dirname, "bare-pglite.ts");

interface Memory {
  readonly idle: number[];
  readonly most: number[];
}

const postgres = await startPostgres();
for (const name of ["bundle", "sources"]) await postgres.create(name);
const kept: string[] = [];
const keptFolder = (name: string): string => {
  const folder = mkdtempSync(join(tmpdir(), `capstan-bench-${name}-`));
  kept.push(folder);
  return folder;
};
const existing = { bundle: keptFolder("bundle"), sources: keptFolder("sources"), bare: keptFolder("bare") };
const variants: Record<string, ServerOptions> = {
  "Capstan, new folder": { script: bundle, health: "/ready" },
  "Capstan, existing folder": { script: bundle, health: "/ready", dataDir: existing.bundle },
  "Capstan on Postgres": {
    script: bundle,
    health: "/ready",
    environment: { DATABASE_URL: postgres.url("bundle") },
  },
  "Capstan from the sources, new folder": { script: sources, health: "/ready" },
  "Capstan from the sources, existing folder": {
    script: sources,
    health: "/ready",
    dataDir: existing.sources,
  },
  "Capstan from the sources, on Postgres": {
    script: sources,
    health: "/ready",
    environment: { DATABASE_URL: postgres.url("sources") },
  },
  "Node + PGlite, new folder": { script: bare, health: "/" },
  "Node + PGlite, existing folder": { script: bare, health: "/", dataDir: existing.bare },
};

const measured = new Map<string, Memory>(Object.keys(variants).map((name) => [name, { idle: [], most: [] }]));
for (let round = 0; round <= ROUNDS; round++) {
  for (const [name, options] of Object.entries(variants)) {
    const server = await startServer(options);
    if (round > 0) {
      await sleep(IDLE_MS); // the first round makes folders, schemas and caches
      measured.get(name)?.idle.push(memoryMb(server.pid));
      measured.get(name)?.most.push(mostMemoryMb(server.pid));
    }
    await server.stop();
  }
}
await postgres.stop();
for (const folder of kept) rmSync(folder, { recursive: true, force: true });

const idle = (name: string) => median(measured.get(name)?.idle ?? []);
const most = (name: string) => median(measured.get(name)?.most ?? []);
const goal = (what: string, value: number, atMost: number) => ({ what, value, atMost, unit: " MB" });
const names = Object.keys(variants);
report({
  name: "memory",
  question: "How much memory does an idle server hold?",
  method: `Resident memory of the process 10 s after its first successful response, and the peak until then; medians of ${ROUNDS} rounds after a warm-up round. Node + PGlite is the unmodified store behind a ten-line HTTP server, in the same rounds.`,
  goals: ["Capstan", "Capstan from the sources"].flatMap((name) => [
    goal(`${name}: resident, new folder`, idle(`${name}, new folder`), 270),
    goal(`${name}: resident, existing folder`, idle(`${name}, existing folder`), 250),
    goal(`${name}: peak, new folder`, most(`${name}, new folder`), 500),
    goal(
      `${name}: resident, Postgres`,
      idle(name === "Capstan" ? "Capstan on Postgres" : `${name}, on Postgres`),
      120,
    ),
  ]),
  tables: [
    {
      title: "Memory",
      rows: names.map((name) => ({
        "": name,
        "resident MB": figure(idle(name)),
        "peak MB": figure(most(name)),
      })),
    },
  ],
  plots: [
    {
      title: "Resident 10 s after the start",
      unit: "MB",
      bars: names.map((label) => ({ label, value: idle(label) })),
    },
  ],
});
process.exit(0);
