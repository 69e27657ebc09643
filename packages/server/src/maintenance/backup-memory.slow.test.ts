/** A backup uses a few megabytes at a time, however much is stored: a small heap is enough for any store. */
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openDatabase } from "@capstan/runtime";
import { afterAll, expect, test } from "vitest";
import { writeReliability } from "../../../../tools/reliability-results.ts";
import { type FreshStore, freshPostgres } from "../../../../tools/stores-under-test.ts";

const MAIN = fileURLToPath(new URL("main.ts", import.meta.url));
const MEGABYTE = 1024 * 1024;
const LOOK_MS = 20;
/** Without it Node leaves garbage while the machine has memory, and the peak says little about what is needed. */
const HEAP_MB = 200;
const MOST_GROWTH_MB = 150; // buffers of a few batches, and garbage that was not collected yet

const folder = mkdtempSync(join(tmpdir(), "capstan-backup-memory-"));
const stores: FreshStore[] = [];
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  for (const store of stores) await store.drop();
});

test("backup and restore of a store eight times as large take no more memory, and little of it", async ({
  skip,
}) => {
  if (process.platform !== "linux") return skip("the peak is read from /proc");
  const small = await carried(100);
  const large = await carried(800);
  writeReliability("backup-memory", { heapMb: HEAP_MB, small, large });
  console.log(small, large);
  expect(large.backupPeakMb - small.backupPeakMb).toBeLessThan(MOST_GROWTH_MB);
  expect(large.restorePeakMb - small.restorePeakMb).toBeLessThan(MOST_GROWTH_MB);
});

async function carried(megabytes: number) {
  const [source, target] = [await fresh(), await fresh()];
  await fill(source, megabytes);
  const path = join(folder, `${megabytes}.capstan`);
  const backupPeakMb = await peakOf("backup", path, source);
  const fileMb = Math.round(statSync(path).size / MEGABYTE);
  const restorePeakMb = await peakOf("restore", path, target);
  expect(await storedMb(target)).toBeGreaterThan(0.8 * megabytes);
  return { storeMb: Math.round(await storedMb(source)), fileMb, backupPeakMb, restorePeakMb };
}

/** Half in files of 10 MB, the largest there are, half in rows of a few hundred bytes. Compressible data would be no load. */
async function fill(store: FreshStore, megabytes: number): Promise<void> {
  await onStore(store, async (query) => {
    const session = "00000000-0000-7000-8000-00000000f11e";
    await query(`insert into sessions(id, owner) values ('${session}', 'local@localhost')`);
    const noise = "string_agg(md5(random()::text || k), '')";
    await query(`insert into session_files(session_id, path, parent, content, size_bytes, is_text)
      select '${session}', '/' || f, '/', (select decode(${noise}, 'hex') from generate_series(1, 655360) k where f > 0), 10485760, false
      from generate_series(1, ${Math.round(megabytes / 20)}) f`);
    await query(`insert into events(session_id, first_seq, last_seq, run_id, payload)
      select '${session}', n, n, '${session}', json_build_array((select ${noise} from generate_series(1, 20) k where n > 0))
      from generate_series(1, ${Math.round(megabytes * 650)}) n`);
  });
}

const storedMb = (store: FreshStore): Promise<number> =>
  onStore(store, async (query) => {
    const rows = await query("select pg_database_size(current_database())::float8 / 1048576 as mb");
    return Number(rows[0]?.mb);
  });

async function onStore<T>(
  store: FreshStore,
  work: (query: (text: string) => Promise<{ mb?: number }[]>) => Promise<T>,
): Promise<T> {
  const opened = await openDatabase(store);
  if (!opened.ok) throw new Error(opened.failure.message);
  try {
    return await work(async (text) => (await opened.value.pool.query(text)).rows);
  } finally {
    await opened.value.close();
  }
}

function peakOf(verb: string, path: string, { dataDir, url = "" }: FreshStore): Promise<number> {
  return new Promise((resolve, reject) => {
    const env = { PATH: process.env.PATH ?? "", CAPSTAN_DATA_DIR: dataDir, DATABASE_URL: url };
    const child = spawn(process.execPath, [`--max-old-space-size=${HEAP_MB}`, MAIN, verb, path], {
      env,
      stdio: ["ignore", "pipe", "inherit"],
    });
    let [peakKb, said] = [0, ""];
    child.stdout.on("data", (bytes) => {
      said += bytes;
    });
    const timer = setInterval(() => {
      peakKb = Math.max(peakKb, highWater(child.pid ?? 0));
    }, LOOK_MS);
    child.once("exit", (code) => {
      clearInterval(timer);
      if (code === 0) resolve(Math.round(peakKb / 1024));
      else reject(new Error(`${verb} ended with ${code}: ${said}`));
    });
  });
}

function highWater(pid: number): number {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0);
  } catch {
    return 0; // it is gone
  }
}

async function fresh(): Promise<FreshStore> {
  const store = await freshPostgres();
  stores.push(store);
  return { ...store, dataDir: mkdtempSync(join(folder, "data-")) };
}
