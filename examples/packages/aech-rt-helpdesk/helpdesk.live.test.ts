/** The helpdesk as it is deployed: the service on a real Postgres and on its embedded one, the command lines as written. */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freshPostgres } from "../../../tools/stores-under-test.ts";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

describe.each([
  { name: "Postgres", store: async () => freshPostgres() },
  { name: "an embedded Postgres", store: async () => ({ url: undefined, drop: async () => {} }) },
])("the helpdesk on $name", ({ name, store }) => {
  let folder: string;
  let database: { url?: string | undefined; drop(): Promise<void> };
  let service: Service;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "helpdesk-"));
    mkdirSync(join(folder, "incoming"));
    writeFileSync(
      join(folder, "incoming", "1.json"),
      JSON.stringify([
        { id: "T-12345", title: "Network issue", body: "The printer is offline.", customer: "Harbour" },
        { id: "T-2", title: "Password", body: "It is forgotten." },
      ]),
    );
    database = await store();
    service = await startService(folder, { ...(database.url && { DATABASE_URL: database.url }) });
  });
  afterAll(async () => {
    await service?.stop();
    await database?.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  test("says where its tickets are, and is healthy", async () => {
    expect(service.said()).toContain(`tickets in ${name}`);
    const health = await fetch(`${service.url}/health`);
    expect([health.status, await health.json()]).toEqual([200, { status: "ok" }]);
  });

  test('aech-cli-helpdesk search "network issue" --json', async () => {
    const { stdout } = await service.cli(["search", "network issue", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject([{ id: "T-12345", title: "Network issue", status: "open" }]);
  });

  test("aech-cli-helpdesk get-ticket T-12345 --json", async () => {
    const { stdout } = await service.cli(["get-ticket", "T-12345", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ id: "T-12345", body: "The printer is offline." });
  });

  test('aech-cli-helpdesk add-note T-12345 "Escalating to network team", once however often it is repeated', async () => {
    for (let i = 0; i < 2; i++)
      await service.cli(["add-note", "T-12345", "Escalating to network team"], "key-1");
    const { stdout } = await service.cli(["get-ticket", "T-12345", "--json"]);
    expect(JSON.parse(stdout).notes).toEqual([
      expect.objectContaining({ body: "Escalating to network team", author: "ann@example.com" }),
    ]);
  });

  test.each([
    [["get-ticket", "T-0"], 1, /no ticket T-0/],
    [["get-ticket"], 2, /needs ticket_id/],
    [["dance"], 2, /unknown action/],
  ])("%j fails with code %i and says why on stderr", async (args, code, message) => {
    const ran = await service.cli(args);
    expect(ran).toMatchObject({ code, stdout: "", stderr: expect.stringMatching(message) });
  });

  test("lets go of the database and ends when it is told to", async () => {
    expect(await service.stop()).toBe(0);
    expect(service.said()).toContain("stopped");
    if (database.url) {
      const client = new pg.Client({ connectionString: database.url });
      await client.connect();
      const { rows } = await client.query("select count(*)::int as left from notes");
      await client.end();
      expect(rows).toEqual([{ left: 1 }]);
    }
  });
});

test("a helpdesk whose Postgres is away says that it is not healthy, and works when it is back", async () => {
  const folder = mkdtempSync(join(tmpdir(), "helpdesk-"));
  const database = await freshPostgres();
  const service = await startService(folder, { DATABASE_URL: database.url ?? "", REQUESTS_PER_MINUTE: "3" });
  const url = new URL(database.url ?? "");
  const name = url.pathname.slice(1);
  url.pathname = "/postgres";
  const admin = new pg.Client({ connectionString: url.href });
  await admin.connect();
  const allow = (yes: boolean) => admin.query(`alter database ${name} allow_connections ${yes}`);
  await allow(false);
  await admin.query("select pg_terminate_backend(pid) from pg_stat_activity where datname = $1", [name]);
  const health = async () => (await fetch(`${service.url}/health`)).status;
  await expect.poll(health).toBe(503);
  await allow(true);
  await expect.poll(health).toBe(200);
  const answers = await Promise.all(Array.from({ length: 6 }, () => fetch(`${service.url}/tickets?query=x`)));
  expect(answers.filter(({ status }) => status === 429).length).toBeGreaterThan(0);
  await admin.end();
  await service.stop();
  await database.drop();
  rmSync(folder, { recursive: true, force: true });
});

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface Service {
  readonly url: string;
  said(): string;
  cli(args: string[], key?: string): Promise<Ran>;
  stop(): Promise<number | null>;
}

async function startService(dataDir: string, env: Record<string, string>): Promise<Service> {
  const base = { PATH: process.env.PATH ?? "", PORT: "0", HOST: "127.0.0.1", DATA_DIR: dataDir };
  const child = spawn(process.execPath, [here("./src/main.ts")], { env: { ...base, ...env } });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (part) => (text += part));
  const port = await new Promise<string>((resolve, reject) => {
    child.on("exit", (code) => reject(new Error(`it ended with ${code}: ${text}`)));
    child.stdout.on("data", () => {
      const found = /listens on 127\.0\.0\.1:(\d+)/.exec(text)?.[1];
      if (found) resolve(found);
    });
  });
  const url = `http://127.0.0.1:${port}`;
  return { url, said: () => text, cli: (args, key) => runCli(args, url, key), stop: () => stop(child) };
}

function runCli(args: string[], url: string, key = ""): Promise<Ran> {
  const env = {
    PATH: process.env.PATH ?? "",
    SERVICE_URL: url,
    DELEGATED_USER: "ann@example.com",
    ...(key && { CAPSTAN_IDEMPOTENCY_KEY: key }),
  };
  return new Promise((resolve) => {
    const argv = [here("./cli/src/main.ts"), ...args];
    execFile(process.execPath, argv, { env }, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    );
  });
}

async function stop(child: ChildProcess): Promise<number | null> {
  if (child.exitCode === null) {
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGTERM");
    await ended;
  }
  return child.exitCode;
}
