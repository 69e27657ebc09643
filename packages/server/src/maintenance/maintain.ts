/**
 * Runs `capstan backup`, `restore` and `migrate` in a process separate from the command line, which has no
 * database. It reports in lines of JSON: some `progress`, then one `done` or `failed`.
 */
import { type Failure, fail, type Result } from "@capstan/core";
import { backUp, moveStore, restore, type StoreProgress } from "@capstan/runtime";
import type { Settings } from "../settings/settings.ts";
import { VERSION } from "../settings/version.ts";

export type MaintenanceLine =
  | { readonly progress: { readonly table: string; readonly rows: number; readonly files: number } }
  | { readonly done: unknown }
  | { readonly failed: Failure };

const EVERY_MS = 1000; // work done within the first second reports nothing

type Work = (settings: Settings, subject: string, progress: StoreProgress) => Promise<Result<unknown>>;

const VERBS: Readonly<Record<string, Work>> = {
  backup: (settings, path, progress) =>
    backUp({ from: placeOf(settings), path, version: VERSION, now: () => new Date(), progress }),
  restore: (settings, path, progress) => restore({ path, to: placeOf(settings), progress }),
  migrate: (settings, url, progress) =>
    moveStore({ dataDir: settings.CAPSTAN_DATA_DIR, url, version: VERSION, progress }),
};

export async function maintain(
  [verb = "", subject = ""]: readonly string[],
  settings: Settings,
  say: (line: MaintenanceLine) => void,
): Promise<boolean> {
  const work = VERBS[verb];
  const usage = "backup <file> | restore <file> | migrate <DATABASE_URL>";
  const result =
    work && subject !== ""
      ? await work(settings, subject, everySecond(say))
      : fail("command_invalid", { message: `"${verb} ${subject}"`, usage });
  say(result.ok ? { done: result.value } : { failed: result.failure });
  return result.ok;
}

function everySecond(say: (line: MaintenanceLine) => void): StoreProgress {
  let last = performance.now();
  return ({ table, rows, files }) => {
    if (performance.now() - last < EVERY_MS) return;
    last = performance.now();
    const sum = Object.values(rows).reduce((total, count) => total + count, 0);
    say({ progress: { table, rows: sum, files } });
  };
}

const placeOf = ({ CAPSTAN_DATA_DIR: dataDir, DATABASE_URL: url }: Settings) => ({ dataDir, url });
