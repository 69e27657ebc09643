/**
 * The background service: turns events into items and triggers, one user per instance.
 * Events are JSON files put into ~/capabilities/TEMPLATE_NAME/incoming (written as .tmp, then renamed).
 * Every step is idempotent: a crash between two of them loses nothing and duplicates nothing.
 */
import { randomUUID } from "node:crypto";
import { readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { DatabaseSync } from "node:sqlite";

const DAY_MS = 86_400_000;

export interface Folders {
  data: string;
  incoming: string;
  outbox: string;
}

export interface Look {
  folders: Folders;
  user: string;
  keepDays: number;
  now: Date;
}

interface Item {
  id: string;
  title: string;
  trigger_id: string;
  created_at: string;
}

export function foldersOf(home: string, outbox: string): Folders {
  const data = join(home, "capabilities", "TEMPLATE_NAME");
  return { data, incoming: join(data, "incoming"), outbox };
}

/** WAL: the command reads and writes while the service does. */
export function openState({ data }: Folders): DatabaseSync {
  const state = new DatabaseSync(join(data, "state.sqlite"));
  state.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA busy_timeout = 5000;
    CREATE TABLE IF NOT EXISTS items (id TEXT PRIMARY KEY, title TEXT NOT NULL, status TEXT NOT NULL DEFAULT 'waiting',
      trigger_id TEXT NOT NULL, triggered INTEGER NOT NULL DEFAULT 0, created_at TEXT NOT NULL);
    CREATE TABLE IF NOT EXISTS service (key TEXT PRIMARY KEY, value TEXT NOT NULL);
  `);
  return state;
}

/** One poll: reads events, writes triggers, cleans up. Returns how many triggers were written. */
export function poll(state: DatabaseSync, look: Look): number {
  state.prepare("INSERT OR REPLACE INTO service VALUES ('polled_at', ?)").run(look.now.toISOString());
  if (settings(look.folders).paused === "true") return 0;
  const { incoming } = look.folders;
  for (const name of readdirSync(incoming)
    .filter((each) => each.endsWith(".json"))
    .sort()) {
    takeIn(state, join(incoming, name), look.now);
  }
  const waiting = state
    .prepare("SELECT id, title, trigger_id, created_at FROM items WHERE triggered = 0")
    .all();
  for (const item of waiting as unknown as Item[]) {
    writeTrigger(item, look);
    state.prepare("UPDATE items SET triggered = 1 WHERE id = ?").run(item.id);
  }
  cleanUp(state, look);
  return waiting.length;
}

function takeIn(state: DatabaseSync, file: string, now: Date): void {
  const title = titleIn(file);
  if (title === undefined) {
    console.error(`${basename(file)} is not an event`);
    renameSync(file, file.replace(/\.json$/, ".invalid"));
    return;
  }
  state
    .prepare("INSERT OR IGNORE INTO items (id, title, trigger_id, created_at) VALUES (?, ?, ?, ?)")
    .run(basename(file, ".json"), title, randomUUID(), now.toISOString());
  rmSync(file);
}

function titleIn(file: string): string | undefined {
  try {
    const { title } = JSON.parse(readFileSync(file, "utf8")) as { title?: unknown };
    return typeof title === "string" ? title : undefined;
  } catch {
    return undefined;
  }
}

/** The id was stored with the item, so that a repeated write is the same trigger. */
function writeTrigger({ id, title, trigger_id, created_at }: Item, { folders, user }: Look): void {
  const trigger = {
    id: trigger_id,
    user,
    type: "item_waiting",
    created_at,
    payload: { item_id: id, title },
    dedupe_key: `item:${id}`,
  };
  atomicWrite(join(folders.outbox, `${trigger_id}.json`), JSON.stringify(trigger));
}

function atomicWrite(path: string, text: string): void {
  writeFileSync(`${path}.tmp`, text);
  renameSync(`${path}.tmp`, path);
}

/** Removes settled items and abandoned files after a while. */
function cleanUp(state: DatabaseSync, { folders, keepDays, now }: Look): void {
  const oldest = now.getTime() - keepDays * DAY_MS;
  state
    .prepare("DELETE FROM items WHERE status = 'approved' AND created_at < ?")
    .run(new Date(oldest).toISOString());
  for (const name of readdirSync(folders.incoming).filter((each) => /\.(tmp|invalid)$/.test(each))) {
    const path = join(folders.incoming, name);
    if (statSync(path).mtimeMs < oldest) rmSync(path);
  }
}

function settings({ data }: Folders): Record<string, string> {
  try {
    return JSON.parse(readFileSync(join(data, "config.json"), "utf8")) as Record<string, string>;
  } catch {
    return {};
  }
}
