/** Stores of programs that keep SQLite. OpenClaw's rows are recorded from 2026.9.6; the other two are made as their formats are described. */
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { zstdCompressSync } from "node:zlib";
import { describe, expect, onTestFinished, test } from "vitest";
import { BUILT_IN_ADAPTERS, type BuiltInAgentName } from "../built-in/built-in-agents.ts";
import { runCommand } from "../command/run-command.ts";
import { listSessions, readSession } from "./session-browser.ts";

const ID = "f1ff7b74-0a28-4dd4-a452-e01ae080eb20";
type Store = readonly [
  agent: BuiltInAgentName,
  path: string,
  fill: (database: DatabaseSync) => void,
  model: string,
];

const STORES: readonly Store[] = [
  ["openclaw", ".openclaw/agents/main/agent/openclaw-agent.sqlite", fillOpenclaw, "sim/sim-model"],
  ["hermes", ".hermes/state.db", fillHermes, "anthropic/claude-opus-4.6"],
  ["cursor", `.cursor/chats/36e6f82a4f9ae16e16ce627c19e4b65f/${ID}/store.db`, fillCursor, "claude-4.5-opus"],
];

describe.each(STORES)("sessions that %s keeps in a database", (agent, path, fill, model) => {
  const adapter = BUILT_IN_ADAPTERS[agent];

  test("are listed with title, folder, model and time, and read", async () => {
    const place = placeWith(path, fill);
    expect(await listSessions(adapter, place)).toEqual([
      { id: ID, title: "hello", cwd: "/work", model, updatedAt: expect.stringMatching(/^20\d\d-/) },
    ]);
    expect(await readSession(adapter, ID, place)).toEqual({
      ok: true,
      value: [
        { role: "user", text: "hello" },
        { role: "tool", text: "made" },
        { role: "assistant", text: "hi there" },
      ],
    });
    expect(await readSession(adapter, "other", place)).toMatchObject({
      failure: { code: "session_not_found" },
    });
  });

  test("are none where the program never ran", async () => {
    expect(await listSessions(adapter, { home: "/nowhere", env: {}, run: runCommand })).toEqual([]);
  });

  test("are refused, and not an empty list, where the store has another form or is none", async () => {
    const foreign = placeWith(path, (database) => database.exec("create table other (id text)"));
    await expect(listSessions(adapter, foreign)).rejects.toMatchObject({ code: "sessions_unreadable" });
    const broken = placeWith(path, () => undefined);
    writeFileSync(join(broken.home, path), "no database at all, only words. ".repeat(200));
    await expect(listSessions(adapter, broken)).rejects.toMatchObject({ code: "sessions_unreadable" });
    expect(await readSession(adapter, ID, broken)).toMatchObject({
      failure: { code: "sessions_unreadable" },
    });
  });
});

test.each([
  ["OPENCLAW_HOME, in which it makes its usual folder", (home: string) => ({ OPENCLAW_HOME: home })],
  [
    "OPENCLAW_STATE_DIR, which counts before the other",
    (home: string) => ({ OPENCLAW_HOME: "/nowhere", OPENCLAW_STATE_DIR: join(home, ".openclaw") }),
  ],
])("sessions of OpenClaw are found below %s", async (_, env) => {
  const [agent, path, fill] = STORES[0] as Store;
  const { home } = placeWith(path, fill);
  const place = { home: "/nowhere", env: env(home), run: runCommand };
  expect(await listSessions(BUILT_IN_ADAPTERS[agent], place)).toMatchObject([{ id: ID }]);
  expect(await readSession(BUILT_IN_ADAPTERS[agent], ID, place)).toMatchObject({ ok: true });
});

function placeWith(path: string, fill: (database: DatabaseSync) => void) {
  const home = mkdtempSync(join(tmpdir(), "capstan-databases-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  mkdirSync(dirname(join(home, path)), { recursive: true });
  const database = new DatabaseSync(join(home, path));
  fill(database);
  database.close();
  return { home, env: {}, run: runCommand };
}

function fillOpenclaw(database: DatabaseSync): void {
  database.exec(`create table session_windows (session_id text primary key, session_key text, updated_at integer,
    model_provider text, model text, display_name text);
    create table transcript_events (session_id text, seq integer, event_json text, event_zstd blob);`);
  database
    .prepare("insert into session_windows values (?, ?, ?, ?, ?, ?)")
    .run(ID, `agent:main:explicit:${ID}`, 1_795_002_727_203, "sim", "sim-model", null);
  const message = (role: string, content: unknown) => ({ type: "message", message: { role, content } });
  const events = [
    { type: "session", version: 4, id: ID, cwd: "/work" },
    { type: "model_change", provider: "sim", modelId: "sim-model" },
    message("user", "hello"),
    message("assistant", [{ type: "toolCall", id: "c1", name: "exec", arguments: {} }]),
    message("toolResult", [{ type: "text", text: "made" }]),
  ].map((event) => JSON.stringify(event));
  const insert = database.prepare("insert into transcript_events values (?, ?, ?, ?)");
  for (const [seq, event] of events.entries()) insert.run(ID, seq, event, null);
  const answer = JSON.stringify(message("assistant", [{ type: "text", text: "hi there" }]));
  insert.run(ID, events.length, null, zstdCompressSync(answer));
}

function fillHermes(database: DatabaseSync): void {
  database.exec(`create table sessions (id text primary key, source text, model text, cwd text, title text,
    started_at real, last_activity_at real, archived integer not null default 0);
    create table messages (id integer primary key autoincrement, session_id text, role text, content text,
    active integer not null default 1, compacted integer not null default 0);`);
  const session = database.prepare("insert into sessions values (?, 'acp', ?, '/work', null, ?, ?, ?)");
  session.run(ID, "anthropic/claude-opus-4.6", 1_795_002_700.5, 1_795_002_727.2, 0);
  session.run("archived", null, 1_795_002_700.5, null, 1);
  const said = database.prepare(
    "insert into messages (session_id, role, content, active) values (?, ?, ?, ?)",
  );
  said.run(ID, "user", "hello", 1);
  said.run(ID, "user", "taken back", 0);
  said.run(ID, "assistant", null, 1);
  said.run(ID, "tool", `\u0001json:${JSON.stringify([{ type: "text", text: "made" }])}`, 1);
  said.run(ID, "assistant", "hi there", 1);
}

function fillCursor(database: DatabaseSync): void {
  database.exec(
    "create table meta (key text primary key, value text); create table blobs (id text primary key, data blob);",
  );
  const insert = database.prepare("insert into blobs values (?, ?)");
  const keep = (data: Buffer): string => {
    const id = createHash("sha256").update(data).digest("hex");
    insert.run(id, data);
    return id;
  };
  const ids = [
    { role: "system", content: "You are an assistant." },
    { role: "user", content: "<user_info>Linux</user_info>\n<user_query>\nhello\n</user_query>" },
    {
      role: "assistant",
      id: "1",
      content: [
        { type: "reasoning", text: "hm" },
        { type: "tool-call", args: {} },
      ],
    },
    { role: "tool", content: [{ type: "tool-result", result: "made" }] },
    { role: "assistant", id: "1", content: [{ type: "text", text: "hi there" }] },
  ].map((message) => keep(Buffer.from(JSON.stringify(message))));
  const bytes = (field: number, data: Buffer) =>
    Buffer.concat([Buffer.from([field * 8 + 2, data.length]), data]);
  const number = Buffer.from([5 * 8, 0x96, 0x01]);
  const children = ids.map((id) => bytes(1, Buffer.from(id, "hex")));
  const root = keep(Buffer.concat([...children, number, bytes(9, Buffer.from("file:///work"))]));
  const meta = {
    agentId: ID,
    latestRootBlobId: root,
    name: "hello",
    createdAt: 1,
    lastUsedModel: "claude-4.5-opus",
  };
  database.prepare("insert into meta values ('0', ?)").run(Buffer.from(JSON.stringify(meta)).toString("hex"));
}
