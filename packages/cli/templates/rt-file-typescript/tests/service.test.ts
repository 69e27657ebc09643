/** Run with: npm test */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { fileURLToPath } from "node:url";
import { type Folders, foldersOf, openState, poll } from "../src/service.ts";

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const user = "user@example.com";
let home: string;
let folders: Folders;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "TEMPLATE_SERVICE-"));
  folders = foldersOf(home, join(home, "outbox"));
  for (const folder of [folders.incoming, folders.outbox]) mkdirSync(folder, { recursive: true });
});
afterEach(() => rmSync(home, { recursive: true }));

const look = () => ({ folders, user, keepDays: 30, now: new Date() });
const event = (name: string, text: string) => writeFileSync(join(folders.incoming, name), text);
const command = (...args: string[]) =>
  spawnSync(process.execPath, [at("../cli/src/main.ts"), ...args], {
    encoding: "utf8",
    env: { ...process.env, HOME: home },
  });

test("an event becomes an item and one trigger with a UUID v4", () => {
  const state = openState(folders);
  event("item-1.json", '{"title":"Read me"}');
  assert.equal(poll(state, look()), 1);
  assert.equal(poll(state, look()), 0);
  const [name = ""] = readdirSync(folders.outbox);
  const trigger = JSON.parse(readFileSync(join(folders.outbox, name), "utf8"));
  assert.match(trigger.id, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.equal(name, `${trigger.id}.json`);
  assert.equal(trigger.payload.item_id, "item-1");
});

test("a crash after the trigger was written repeats the same trigger", () => {
  const state = openState(folders);
  event("item-1.json", '{"title":"Read me"}');
  poll(state, look());
  const before = readdirSync(folders.outbox);
  state.exec("UPDATE items SET triggered = 0");
  poll(state, look());
  assert.deepEqual(readdirSync(folders.outbox), before);
});

test("state is in WAL mode", () => {
  const mode = openState(folders).prepare("PRAGMA journal_mode").get() as { journal_mode: string };
  assert.equal(mode.journal_mode, "wal");
});

test("old settled items are removed", () => {
  const state = openState(folders);
  state.exec(
    "INSERT INTO items VALUES ('old', 'x', 'approved', 't', 1, '2001-01-01T00:00:00Z'), ('wait', 'x', 'waiting', 't', 1, '2001-01-01T00:00:00Z')",
  );
  poll(state, look());
  assert.deepEqual(
    state
      .prepare("SELECT id FROM items")
      .all()
      .map((row) => row.id),
    ["wait"],
  );
});

test("half-written and unreadable events do no harm", () => {
  event("a.json.tmp", "{");
  event("b.json", "{");
  assert.equal(poll(openState(folders), look()), 0);
  assert.deepEqual(readdirSync(folders.incoming).sort(), ["a.json.tmp", "b.invalid"]);
});

test("the command lists and approves and may be repeated", () => {
  event("item-1.json", '{"title":"Read me"}');
  poll(openState(folders), look());
  assert.equal(JSON.parse(command("list", "--status", "waiting", "--json").stdout)[0].id, "item-1");
  for (const _ of [1, 2])
    assert.equal(JSON.parse(command("approve", "item-1", "--json").stdout).status, "approved");
  assert.equal(JSON.parse(command("status", "--json").stdout).waiting, 0);
  const refused = command("approve", "nope", "--json");
  assert.deepEqual([refused.status, refused.stdout], [1, ""]);
  assert.match(refused.stderr, /error:/);
});

test("settings are written whole and the service heeds them", () => {
  assert.equal(command("configure", "paused", "true", "--json").status, 0);
  event("item-1.json", '{"title":"Read me"}');
  assert.equal(poll(openState(folders), look()), 0);
  assert.deepEqual(
    readdirSync(folders.data).filter((name) => name.startsWith("config")),
    ["config.json"],
  );
});

test("SIGTERM stops it cleanly", async () => {
  const env = {
    ...process.env,
    HOME: home,
    TRIGGER_OUTBOX: folders.outbox,
    DELEGATED_USER: user,
    POLL_INTERVAL: "60",
  };
  const running = spawn(process.execPath, [at("../src/main.ts")], {
    env,
    stdio: ["ignore", "pipe", "ignore"],
  });
  await once(running.stdout, "data");
  running.kill("SIGTERM");
  assert.deepEqual(await once(running, "exit"), [0, null]);
});
