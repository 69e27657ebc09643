import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Result } from "@capstan/core";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { type CommandIsolation, probeCommandIsolation, uidFor } from "../commands/command-isolation.ts";
import { ServiceSupervisor } from "./service-supervisor.ts";

let root: string;
let dataDir: string;
let isolation: CommandIsolation;
const supervisors: ServiceSupervisor[] = [];

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), "capstan-services-"));
  chmodSync(root, 0o755);
  dataDir = join(root, "capstan-data");
  mkdirSync(dataDir);
  isolation = await probeCommandIsolation();
});
afterEach(async () => {
  await Promise.all(supervisors.splice(0).map((each) => each.close()));
  rmSync(root, { recursive: true, force: true });
});

const API = `
import { createServer } from "node:http";
const server = createServer((request, response) => {
  if (request.url === "/crash") process.exit(3);
  response.end(JSON.stringify(request.url === "/env" ? { ...process.env, uid: process.getuid() } : { status: "ok" }));
});
server.listen(Number(process.env.PORT), process.env.HOST, () => console.log("listening for " + process.env.DELEGATED_USER));
process.on("SIGTERM", () => server.close(() => { console.log("stopped cleanly"); process.exit(0); }));
`;
const FILES = `
import { writeFileSync, mkdirSync } from "node:fs";
mkdirSync(process.env.HOME + "/capabilities/box", { recursive: true });
writeFileSync(process.env.HOME + "/capabilities/box/state", "alive");
writeFileSync(process.env.TRIGGER_OUTBOX + "/hello.json.tmp", "{}");
console.log("working");
process.on("SIGTERM", () => process.exit(0));
setInterval(() => {}, 1000);
`;

const HOME_OF_USER = "users/$" + "{DELEGATED_USER}:/home/agentaech:rw";
const FILE_VOLUMES = [`../data/${HOME_OF_USER}`, "../data/rt_triggers/box:/triggers/outbox:rw"];

describe("an API service without Docker", () => {
  test("gets its env file, folders, port and address, and is healthy", async () => {
    const supervisor = await supervise();
    const { url } = value(
      await supervisor.start(service("desk", API, { volumes: ["../data/app_context/desk:/data"] })),
    );
    await state(supervisor, "running");
    const env = await (await fetch(`${url}/env`)).json();
    expect(env).toMatchObject({
      DELEGATED_USER: "user@example.com",
      GREETING: "hello there",
      DATA_DIR: join(dataDir, "app_context", "desk"),
      SERVICE_URL: url,
      HOST: "127.0.0.1",
    });
    expect(env).not.toHaveProperty("VITEST");
    if (isolation.changesUser) expect(env).toMatchObject({ uid: uidFor("user@example.com") });
    expect(supervisor.serviceUrl("desk")).toBe(url);
    expect(existsSync(join(dataDir, "app_context", "desk"))).toBe(true);
  });

  test("is restarted with a delay when it crashes, and reports why", async () => {
    const supervisor = await supervise();
    const { url } = value(
      await supervisor.start(service("desk", API, { volumes: ["../data/app_context/desk:/data"] })),
    );
    await state(supervisor, "running");
    await fetch(`${url}/crash`).catch(() => {});
    await vi.waitFor(
      () =>
        expect(supervisor.status()[0]).toMatchObject({ state: "running", restarts: 1, last_exit: "code 3" }),
      { timeout: 20_000, interval: 20 },
    );
    expect(value(await supervisor.logs("desk"))).toMatch(/it ended with code 3; it starts again in 50 ms/);
  });

  test("is stopped with SIGTERM, and its log is kept", async () => {
    const supervisor = await supervise();
    value(await supervisor.start(service("desk", API, { volumes: ["../data/app_context/desk:/data"] })));
    await state(supervisor, "running");
    expect(value(await supervisor.stop("desk"))).toMatchObject({ state: "stopped" });
    expect(value(await supervisor.logs("desk"))).toBe("listening for user@example.com\nstopped cleanly\n");
    expect(supervisor.serviceUrl("desk")).toBeUndefined();
  });

  test("that was running is restarted by the next server, and processes left by a dead server are stopped first", async () => {
    const first = await supervise();
    const folder = service("desk", API, { volumes: ["../data/app_context/desk:/data"] });
    const { pid = 0 } = value(await first.start(folder));
    await state(first, "running");
    await vi.waitFor(() =>
      expect(readFileSync(join(dataDir, "services", "wanted.json"), "utf8")).toContain(String(pid)),
    );
    const second = await supervise();
    expect(await second.resume()).toEqual([]);
    await state(second, "running");
    expect(second.status()[0]?.pid).not.toBe(pid);
    await first.stop("desk");
    await second.stop("desk");
    const third = await supervise();
    await third.resume();
    expect(third.status()).toEqual([]);
  });
});

test("a file-based service has the user's home and an outbox it can only add to", async () => {
  const supervisor = await supervise();
  value(await supervisor.start(service("box", FILES, { volumes: FILE_VOLUMES })));
  const state = join(dataDir, "users", "user@example.com", "capabilities", "box", "state");
  await vi.waitFor(() => expect(readFileSync(state, "utf8")).toBe("alive"), { timeout: 10_000 });
  await vi.waitFor(
    () => expect(existsSync(join(dataDir, "rt_triggers", "box", "hello.json.tmp"))).toBe(true),
    { timeout: 10_000 },
  );
  if (!isolation.changesUser) return;
  const outbox = statSync(join(dataDir, "rt_triggers", "box"));
  expect([outbox.uid, outbox.gid, outbox.mode & 0o7777]).toEqual([0, uidFor("user@example.com"), 0o1770]);
  expect(statSync(state).uid).toBe(uidFor("user@example.com"));
});

test.each([
  [
    "no compose file",
    (folder: string) => rmSync(join(folder, "docker-compose.yml")),
    /no docker-compose\.yml/,
  ],
  ["no env file", (folder: string) => rmSync(join(folder, ".env")), /has no \.env/],
  [
    "a user that is a path",
    (folder: string) => writeFileSync(join(folder, ".env"), "DELEGATED_USER=../../x"),
    /e-mail/,
  ],
  ["a shell form CMD", (folder: string) => writeFileSync(join(folder, "Dockerfile"), "CMD node x"), /no CMD/],
  [
    "a volume elsewhere",
    (folder: string) => compose(folder, "box", ["/etc:/data"]),
    /outside the data folder/,
  ],
  [
    "a volume on a folder of the system",
    (folder: string) => compose(folder, "box", ["../data/app_context/box:/usr/lib/x"]),
    /cannot be mounted on \/usr/,
  ],
])("a service with %s is refused with the reason", expectRefused);

test.each([
  ["the data folder itself", ""],
  ["every user's home", "/users"],
  ["another user's home", "/users/other@example.com"],
  ["all packages", "/packages"],
  ["all services", "/services"],
  ["another service's outbox", "/rt_triggers/other"],
  ["another service's data", "/app_context/other"],
  ["a path that leads up again", "/app_context/box/../../packages"],
])("a service would have %s as a volume", async (_, path) => {
  const spoil = (folder: string) => compose(folder, "box", [`../data${path}:/data`]);
  await expectRefused(_, spoil, /not this service's own|belongs to another package/);
});

async function expectRefused(_: string, spoil: (folder: string) => void, why: RegExp): Promise<void> {
  const supervisor = await supervise();
  const folder = service("box", FILES, { volumes: [] });
  spoil(folder);
  const refused = await supervisor.start(folder);
  expect(refused.ok ? "" : `${refused.failure.message} ${refused.failure.nextStep}`).toMatch(why);
  expect(supervisor.status()).toEqual([]);
}

async function supervise(): Promise<ServiceSupervisor> {
  const supervisor = new ServiceSupervisor({
    dataDir,
    isolation,
    path: `${dirname(process.execPath)}:/usr/bin:/bin`,
    firstPauseMs: 50,
  });
  supervisors.push(supervisor);
  return supervisor;
}

function service(name: string, code: string, { volumes }: { volumes: string[] }): string {
  const folder = join(root, `aech-rt-${name}`);
  mkdirSync(folder);
  writeFileSync(join(folder, "main.mjs"), code);
  writeFileSync(join(folder, "Dockerfile"), 'FROM node:24\nCMD ["node", "main.mjs"]\n');
  writeFileSync(join(folder, ".env"), 'DELEGATED_USER=user@example.com   # who\nGREETING="hello there"\n');
  compose(folder, name, volumes);
  return folder;
}

function compose(folder: string, name: string, volumes: string[]): void {
  const document = {
    services: { [name]: { build: ".", env_file: [".env"], volumes, restart: "unless-stopped" } },
  };
  writeFileSync(join(folder, "docker-compose.yml"), JSON.stringify(document));
}

async function state(supervisor: ServiceSupervisor, expected: string): Promise<void> {
  await vi.waitFor(() => expect(supervisor.status()[0]?.state).toBe(expected), {
    timeout: 20_000,
    interval: 20,
  });
}

function value<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(`${result.failure.code}: ${result.failure.message}`);
  return result.value;
}

test("a link in place of its log would let a service write to the server's files", async () => {
  const supervisor = await supervise();
  const victim = join(root, "victim");
  writeFileSync(victim, "the server's own");
  mkdirSync(join(dataDir, "services"), { recursive: true });
  symlinkSync(victim, join(dataDir, "services", "box.log"));
  value(await supervisor.start(service("box", FILES, { volumes: FILE_VOLUMES })));
  await vi.waitFor(async () => expect(value(await supervisor.logs("box"))).toContain("working"), 20_000);
  expect(readFileSync(victim, "utf8")).toBe("the server's own");
});

test("programs of the virtual environment in its folder come first", async () => {
  const supervisor = await supervise();
  const folder = service(
    "box",
    "console.log(process.env.PATH); process.on('SIGTERM', () => process.exit(0)); setInterval(() => {}, 1000);",
    {
      volumes: FILE_VOLUMES,
    },
  );
  mkdirSync(join(folder, ".venv", "bin"), { recursive: true });
  value(await supervisor.start(folder));
  await vi.waitFor(
    async () => expect(value(await supervisor.logs("box"))).toContain(`${join(folder, ".venv", "bin")}:`),
    20_000,
  );
});

test("named volumes, /triggers and AECH_HOST_DATA are where a container would have them", async ({
  skip,
}) => {
  if (!isolation.privateRoot) skip("no mount namespace on this system");
  const supervisor = await supervise();
  const code = `
import { mkdirSync, writeFileSync } from "node:fs";
mkdirSync("/triggers/dedupe", { recursive: true });
writeFileSync("/triggers/outbox/hello.json.tmp", "{}");
writeFileSync("/home/agentaech/note", "home");
writeFileSync("/cache/kept", "named");
console.log("working");
setInterval(() => {}, 1000);
`;
  const host = "$" + "{AECH_HOST_DATA}";
  const volumes = [`${host}/${HOME_OF_USER}`, `${host}/rt_triggers/box:/triggers:rw`, "cache:/cache"];
  value(await supervisor.start(service("box", code, { volumes })));
  await vi.waitFor(async () => expect(value(await supervisor.logs("box"))).toContain("working"), 20_000);
  expect(readFileSync(join(dataDir, "users/user@example.com/note"), "utf8")).toBe("home");
  expect(existsSync(join(dataDir, "rt_triggers/box/hello.json.tmp"))).toBe(true);
  expect(existsSync(join(dataDir, "rt_triggers/box/dedupe"))).toBe(false);
  expect(readFileSync(join(dataDir, "services/volumes/box/cache/kept"), "utf8")).toBe("named");
});
