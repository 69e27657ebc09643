/** Disk and clock faults: a full disk, a read-only or damaged folder, a second server, a clock that jumps back. */
import { spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { cpSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, inject, test, vi } from "vitest";
import { bareEnvironment } from "../../../../tools/bare-environment.ts";
import { type ServerProcess, serverProcess } from "../../../../tools/server-process.ts";
import { type SmallDisk, smallDisk } from "../../../../tools/small-disk.ts";
import { freshPglite } from "../../../../tools/stores-under-test.ts";
import { rateLimiter } from "../auth/rate-limiter.ts";

const MAIN = fileURLToPath(new URL("../main.ts", import.meta.url));
const MEGABYTE = 1024 * 1024;

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

describe("a disk", () => {
  test("that fills up: writes are refused with the reason before the store is damaged, reads continue, and it recovers with free space", async ({
    skip,
  }) => {
    const disk = mounted(120);
    if (!disk) return skip("this user may not mount a file system");
    const server = await started(disk.folder);
    const session = (await server.call("POST", "/v1/sessions", {})).body.id;
    const file = randomBytes(2 * MEGABYTE).toString("base64"); // compressible data does not fill a disk
    const put = (name: number) => server.call("PUT", `/v1/sessions/${session}/files/f${name}`, file);
    const answers: number[] = [];
    for (let i = 0; i < 40 && !answers.includes(507); i++) answers.push((await put(i)).status);
    expect(new Set(answers)).toEqual(new Set([201, 507]));
    expect(await put(99)).toMatchObject({
      status: 507,
      body: { code: "storage_full", nextStep: expect.any(String) },
    });
    expect((await server.call("GET", "/ready")).status).toBe(200);
    expect((await server.call("GET", `/v1/sessions/${session}/files`)).body.count).toBe(answers.length - 1);
    disk.remount("size=400m");
    await vi.waitFor(async () => expect((await put(100)).status).toBe(201), { timeout: 10_000 });
    await server.end("SIGKILL");
    const again = await started(disk.folder, {}, false);
    expect((await again.call("GET", `/v1/sessions/${session}/files`)).body.count).toBe(answers.length);
  });

  test("that is read-only: the server does not start, and says why", ({ skip }) => {
    const disk = mounted(80);
    if (!disk) return skip("this user may not mount a file system");
    disk.remount("ro");
    const { status, stderr } = startedInVain(disk.folder);
    expect(status).toBe(1);
    expect(stderr).toMatch(/cannot be used: .*(EROFS|read-only)/);
    expect(stderr).toMatch(/Set CAPSTAN_DATA_DIR to a writable folder/);
  });
});

describe("a data folder", () => {
  test.each<[string, (db: string) => void]>([
    ["whose control file is gone", (db) => rmSync(join(db, "global", "pg_control"))],
    ["whose log is noise", (db) => noise(join(db, "pg_wal"))],
  ])("%s: the server does not start, and names the way to recover", async (_what, damage) => {
    const store = await freshPglite();
    open.push(store.drop);
    damage(join(store.dataDir, "db"));
    const { status, stderr } = startedInVain(store.dataDir);
    expect(stderr).toMatch(/capstan: The data at .* cannot be used/);
    expect(stderr).toMatch(/restore a backup/);
    expect(status).toBe(1);
  });

  test("used by another server: the second is refused and the first is not affected; after kill -9 it is free", async () => {
    const store = await freshPglite();
    open.push(store.drop);
    const first = await started(store.dataDir, {}, false);
    const { status, stderr } = startedInVain(store.dataDir);
    expect(status).toBe(1);
    expect(stderr).toContain(`process ${first.child.pid}`);
    expect((await first.call("POST", "/v1/sessions", {})).status).toBe(201);
    await first.end("SIGKILL");
    const second = await started(store.dataDir, {}, false);
    expect((await second.call("GET", "/v1/sessions")).body.items).toHaveLength(1);
  });
});

describe("a clock that jumps back by a day", () => {
  test("keeps the order of events: runs end, events stay numbered, sessions are listed, nobody is locked out", async () => {
    const store = await freshPglite();
    open.push(store.drop);
    const shift = join(store.dataDir, "shift.mjs");
    writeFileSync(shift, JUMPING_CLOCK);
    const server = await started(store.dataDir, { NODE_OPTIONS: `--import ${shift}` }, false);
    const agent = (await server.call("POST", "/v1/agents", { name: "A", capabilities: ["test_math"] })).body
      .id;
    const session = (await server.call("POST", "/v1/sessions", { agent_id: agent })).body.id;
    const say = async (content: string) => {
      const { body } = await server.call("POST", `/v1/sessions/${session}/messages`, { content });
      await vi.waitFor(
        async () => expect((await server.call("GET", `/v1/runs/${body.run_id}`)).body.status).toBe("done"),
        { timeout: 20_000 },
      );
    };
    await say("add 1 and 2");
    server.child.kill("SIGUSR2");
    await vi.waitFor(async () => {
      const made = (await server.call("POST", "/v1/sessions", { title: "after" })).body;
      expect(new Date(made.created_at).getTime()).toBeGreaterThan(0);
    });
    await say("add 3 and 4");
    const { items } = (await server.call("GET", `/v1/sessions/${session}/events?format=json&limit=1000`))
      .body;
    expect(items.map(({ seq }: { seq: number }) => seq)).toEqual(
      items.map((_: unknown, at: number) => at + 1),
    );
    const messages = (await server.call("GET", `/v1/sessions/${session}/messages`)).body.items;
    expect(messages.filter(({ role }: { role: string }) => role === "user")).toHaveLength(2);
    const burst = await Promise.all(Array.from({ length: 50 }, () => server.call("GET", "/v1/sessions")));
    expect(new Set(burst.map(({ status }) => status))).toEqual(new Set([200]));
  });

  test("does not use up a key's allowance, when the limiter's clock jumps back", () => {
    let now = 1_000_000_000;
    const wait = rateLimiter(() => now);
    expect(wait("key", 60)).toBe(0);
    now -= 86_400_000;
    expect(wait("key", 60)).toBe(0);
  });
});

/** Reports yesterday's time from SIGUSR2 on. The monotonic clock continues, as on a real machine. */
const JUMPING_CLOCK = `
const real = Date.now.bind(Date);
let shift = 0;
process.on("SIGUSR2", () => { shift = -86400000; });
const Shifted = class extends Date {
  constructor(...args) { if (args.length === 0) super(real() + shift); else super(...args); }
  static now() { return real() + shift; }
};
globalThis.Date = Shifted;
`;

function mounted(megabytes: number): SmallDisk | undefined {
  const disk = smallDisk(megabytes);
  if (disk) open.push(disk.close);
  return disk;
}

async function started(
  dataDir: string,
  environment: Record<string, string> = {},
  filled = true,
): Promise<ServerProcess> {
  if (filled) cpSync(inject("pgliteTemplate"), dataDir, { recursive: true });
  const reserve = { CAPSTAN_DISK_RESERVE_BYTES: String(40 * MEGABYTE) };
  const server = await serverProcess({ dataDir }, { ...reserve, ...environment });
  open.push(() => server.end("SIGKILL"));
  return server;
}

function startedInVain(dataDir: string): { status: number | null; stderr: string } {
  const { status, stderr } = spawnSync(process.execPath, [MAIN], {
    env: { ...bareEnvironment(), PORT: "0", CAPSTAN_DATA_DIR: dataDir },
    encoding: "utf8",
    timeout: 50_000,
  });
  return { status, stderr };
}

function noise(folder: string): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (statSync(path).isFile()) writeFileSync(path, Buffer.alloc(statSync(path).size, "noise"));
  }
}
