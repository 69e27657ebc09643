/** The session file system on both stores: operations a second, 1,000 files in a row, and a search through 100 MB. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { compileGrep, fileStore, openDatabase } from "../../packages/runtime/src/index.ts";
import { startPostgres } from "../postgres.ts";
import { figure, report } from "../result.ts";

const FILES = 1000;
const BYTES = 100 * 1024 * 1024;
const EACH = 1024 * 1024;
const here = mkdtempSync(join(tmpdir(), "capstan-bench-files-"));

interface Measured {
  readonly store: string;
  readonly writesPerSecond: number;
  readonly thousandMs: number;
  readonly readsPerSecond: number;
  readonly listsPerSecond: number;
  readonly grepMs: number;
}

async function perSecond(count: number, each: (at: number) => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  for (let at = 0; at < count; at++) await each(at);
  return (count / (performance.now() - startedAt)) * 1000;
}

function text(at: number): Uint8Array {
  const line = `line of file ${at}: the quick brown fox jumps over the lazy dog\n`;
  const body = line.repeat(Math.ceil(EACH / line.length)).slice(0, EACH - 20);
  return Buffer.from(at === 77 ? `${body}needle in a haystack` : body);
}

async function measure(store: string, url: string | undefined): Promise<Measured> {
  const opened = await openDatabase({ dataDir: join(here, store), url });
  if (!opened.ok) throw new Error(opened.failure.message);
  const { pool, close } = opened.value;
  const [small, large] = [crypto.randomUUID(), crypto.randomUUID()];
  for (const id of [small, large])
    await pool.query("insert into sessions(id, owner) values ($1, 'bench')", [id]);
  const files = fileStore({ pool, sessionId: small, compile: compileGrep });
  const content = Buffer.from("a few hundred bytes of notes. ".repeat(16));
  const startedAt = performance.now();
  const writesPerSecond = await perSecond(FILES, (at) =>
    files.write(`/notes/${at % 10}/file-${at}.md`, content),
  );
  const thousandMs = performance.now() - startedAt;
  const readsPerSecond = await perSecond(FILES, (at) => files.read(`/notes/${at % 10}/file-${at}.md`));
  const listsPerSecond = await perSecond(100, (at) => files.list(`/notes/${at % 10}`));
  const limits = { fileBytes: 2 * EACH, sessionBytes: 2 * BYTES };
  const many = fileStore({ pool, sessionId: large, compile: compileGrep, limits });
  for (let at = 0; at < BYTES / EACH; at++) {
    const written = await many.write(`/log-${at}.txt`, text(at));
    if (!written.ok) throw new Error(written.failure.message);
  }
  const grepAt = performance.now();
  const found = await many.grep("need[l]e in");
  const grepMs = performance.now() - grepAt;
  if (!found.ok || found.value.matches.length !== 1) throw new Error("the needle was not found");
  await close();
  return { store, writesPerSecond, thousandMs, readsPerSecond, listsPerSecond, grepMs };
}

const postgres = await startPostgres();
await postgres.create("files");
const all = [await measure("Postgres", postgres.url("files")), await measure("PGlite", undefined)];
await postgres.stop();
rmSync(here, { recursive: true, force: true });
const worst = (value: (one: Measured) => number) => Math.max(...all.map(value));
report({
  name: "files",
  question: "How fast are a session's files?",
  method:
    "One client, one operation at a time, each write in its own transaction (Postgres with fsync on). The search runs a linear-time regular expression over 100 files of 1 MB in one session and finds one line.",
  goals: [
    {
      what: "1,000 files written",
      value: worst(({ thousandMs }) => thousandMs) / 1000,
      atMost: 5,
      unit: " s",
    },
    { what: "search through 100 MB", value: worst(({ grepMs }) => grepMs) / 1000, atMost: 2, unit: " s" },
  ],
  tables: [
    {
      title: "Session files",
      rows: all.map(({ store, writesPerSecond, readsPerSecond, listsPerSecond, thousandMs, grepMs }) => ({
        "": store,
        "writes/s": figure(writesPerSecond),
        "reads/s": figure(readsPerSecond),
        "lists of 100/s": figure(listsPerSecond),
        "1,000 files ms": figure(thousandMs),
        "grep 100 MB ms": figure(grepMs),
      })),
    },
  ],
  plots: [],
});
process.exit(0);
