/**
 * A hostile package with a background service. Its compose file is its author's, its folder's `.env` is the operator's:
 * nothing that the author or the running service writes may choose which other files the service gets.
 */
import {
  chmodSync,
  existsSync,
  lstatSync,
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
import { type CommandIsolation, probeCommandIsolation, ServiceSupervisor } from "@capstan/runtime";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { freshPglite } from "../../../../tools/stores-under-test.ts";
import { testServer } from "../../../../tools/test-server.ts";
import { writeArchive } from "../../../runtime/src/backup/archive-writer.ts";

const SECRET = "the-master-secret-of-the-server";
/** Prints its environment and every file it was told to try, then stays. */
const SPY = `
import { readFileSync } from "node:fs";
console.log(JSON.stringify(process.env));
for (const path of (process.env.TRY ?? "").split(",").filter(Boolean)) {
  try { console.log(path, readFileSync(path, "utf8")); } catch (error) { console.log(path, error.code); }
}
console.log("looked");
process.on("SIGTERM", () => process.exit(0));
setInterval(() => {}, 1000);
`;

let root: string;
let dataDir: string;
let folder: string;
/** A folder of the operator's, beside the data folder. */
let victim: string;
let isolation: CommandIsolation;
const supervisors: ServiceSupervisor[] = [];

beforeEach(async () => {
  root = mkdtempSync(join(tmpdir(), "capstan-services-"));
  chmodSync(root, 0o755);
  [dataDir, folder, victim] = [join(root, "data"), join(root, "aech-rt-box"), join(root, "operator")];
  for (const path of [dataDir, folder, victim]) mkdirSync(path);
  writeFileSync(join(victim, "secret.env"), `CAPSTAN_SECRET=${SECRET}\n`, { mode: 0o644 });
  isolation = await probeCommandIsolation();
});
afterEach(async () => {
  await Promise.all(supervisors.splice(0).map((each) => each.close()));
  rmSync(root, { recursive: true, force: true });
});

interface Hostile {
  readonly name?: string;
  readonly compose?: object;
  readonly code?: string;
  readonly env?: string;
}

function write({ name = "box", compose = {}, code = SPY, env = "POLL=1\n" }: Hostile, at = folder): void {
  mkdirSync(at, { recursive: true });
  writeFileSync(join(at, "main.mjs"), code);
  writeFileSync(join(at, "Dockerfile"), 'FROM node:24\nCMD ["node", "main.mjs"]\n');
  writeFileSync(join(at, ".env"), env);
  const service = { build: ".", env_file: [".env"], ...compose };
  writeFileSync(join(at, "docker-compose.yml"), JSON.stringify({ services: { [name]: service } }));
}

function supervise(
  more: Partial<ConstructorParameters<typeof ServiceSupervisor>[0]> = {},
): ServiceSupervisor {
  const path = `${dirname(process.execPath)}:/usr/bin:/bin`;
  const made = new ServiceSupervisor({ dataDir, isolation, path, firstPauseMs: 50, ...more });
  supervisors.push(made);
  return made;
}

/** What it printed until it had looked, or why it did not start. */
async function logOf(supervisor: ServiceSupervisor, at = folder, name = "box"): Promise<string> {
  const started = await supervisor.start(at);
  if (!started.ok) return `refused: ${started.failure.message}`;
  return lookedLog(supervisor, name);
}

async function lookedLog(supervisor: ServiceSupervisor, name = "box"): Promise<string> {
  const log = async () => {
    const read = await supervisor.logs(name);
    return read.ok ? read.value : "";
  };
  await vi.waitFor(async () => expect(await log()).toContain("looked"), { timeout: 20_000, interval: 20 });
  return log();
}

describe("a service would get files that are not its own", () => {
  test.each<[string, string, () => void]>([
    ["beside its folder", "../operator/secret.env", () => {}],
    ["through a link in its folder", "conf/secret.env", () => symlinkSync(victim, join(folder, "conf"))],
    [
      "as a link in its folder",
      "own.env",
      () => symlinkSync(join(victim, "secret.env"), join(folder, "own.env")),
    ],
    ["of the whole server process", "../../../../../../../../../../proc/self/environ", () => {}],
  ])("by an env file %s", async (_, file, plant) => {
    write({ compose: { env_file: [".env", file] } });
    plant();
    const log = await logOf(supervise());
    expect(log).not.toContain(SECRET);
    expect(log).toMatch(/refused: .*env/);
  });

  test("by a Python in its virtual environment that is a link to a file beside them", async ({ skip }) => {
    if (!isolation.privateRoot) skip("no mount namespace on this system");
    const secret = join(victim, "secret.env");
    write({ compose: { environment: { TRY: secret } } });
    mkdirSync(join(folder, ".venv", "bin"), { recursive: true });
    symlinkSync(secret, join(folder, ".venv", "bin", "python"));
    const log = await logOf(supervise());
    expect(log).toContain(`${secret} ENOENT`);
  });

  test.each(["other/inner", "other"])("by a volume through the link %s in its folder", async (path) => {
    mkdirSync(join(victim, "inner"));
    writeFileSync(join(victim, "inner", "kept"), SECRET, { mode: 0o600 });
    write({
      compose: { volumes: [`./${path}:/stolen`], environment: { TRY: "/stolen/kept,/stolen/inner/kept" } },
    });
    symlinkSync(victim, join(folder, "other"));
    const before = statSync(join(victim, "inner", "kept"));
    const log = await logOf(supervise());
    expect(log).not.toContain(SECRET);
    expect(log).toMatch(/refused: .*not a folder/);
    expect(statSync(join(victim, "inner", "kept")).uid).toBe(before.uid);
  });

  test.each([
    ["of its folder", "./own:/own", "./own/deep/inner:/stolen"],
    ["of its data", "../data/app_context/box:/own", "../data/app_context/box/deep/inner:/stolen"],
  ])("by a link that it puts into a volume %s before it restarts", async (_, own, inner) => {
    mkdirSync(join(victim, "inner"));
    writeFileSync(join(victim, "inner", "kept"), SECRET, { mode: 0o644 });
    const code = `
      import { existsSync, readFileSync, renameSync, symlinkSync } from "node:fs";
      if (!existsSync("/own/planted")) {
        renameSync("/own/deep", "/own/planted");
        symlinkSync(${JSON.stringify(victim)}, "/own/deep");
        process.exit(3);
      }
      try { console.log(readFileSync("/stolen/kept", "utf8")); } catch (error) { console.log(error.code); }
      console.log("looked");
      process.on("SIGTERM", () => process.exit(0));
      setInterval(() => {}, 1000);`;
    write({ code, compose: { volumes: [own, inner] } });
    const supervisor = supervise();
    expect((await supervisor.start(folder)).ok).toBe(true);
    const ended = () => supervisor.status()[0];
    await vi.waitFor(
      async () => {
        const log = await supervisor.logs("box");
        const looked = log.ok && log.value.includes("looked");
        expect(looked || ended()?.state === "stopped").toBe(true);
      },
      { timeout: 20_000, interval: 20 },
    );
    const log = await supervisor.logs("box");
    expect(log.ok && log.value).not.toContain(SECRET);
    expect(ended()).toMatchObject({ state: "stopped", last_exit: expect.stringContaining("not a folder") });
  });

  test.each([
    ["another person's home", { DELEGATED_USER: "ada@example.com" }, "users/ada@example.com"],
    ["another package's data", { CAPSTAN_SHARE: "app_context/mail" }, "app_context/mail"],
  ])("by naming %s in its own compose file", async (_, environment, place) => {
    mkdirSync(join(dataDir, place), { recursive: true });
    writeFileSync(join(dataDir, place, "kept"), SECRET, { mode: 0o644 });
    const volumes = [`../data/${place}:/stolen`];
    write({ compose: { volumes, environment: { ...environment, TRY: "/stolen/kept" } } });
    const log = await logOf(supervise());
    expect(log).not.toContain(SECRET);
    expect(log).toMatch(/refused/);
  });

  test("by the name of another service, whose data, log and user id it would have", async () => {
    const other = join(root, "aech-rt-other");
    const volumes = ["../data/app_context/box:/data"];
    const stays =
      "process.on('SIGTERM', () => process.exit(0)); console.log('looked'); setInterval(() => {}, 1000);";
    write({ compose: { volumes }, code: stays });
    const supervisor = supervise();
    await logOf(supervisor);
    await supervisor.stop("box");
    writeFileSync(join(dataDir, "app_context", "box", "kept"), SECRET, { mode: 0o644 });
    write({ compose: { volumes, environment: { TRY: "/data/kept" } } }, other);
    for (const each of [supervisor, supervise()]) {
      await each.resume();
      const log = await logOf(each, other);
      expect(log).not.toContain(SECRET);
      expect(log).toMatch(/refused: .*aech-rt-box/);
    }
    rmSync(folder, { recursive: true }); // the operator moved it
    expect((await supervise().start(other)).ok).toBe(true);
  });

  test("by the name of a capability that is not its own, whose triggers it would send", async () => {
    write({ name: "mail" });
    const supervisor = supervise({
      ownerOf: async (name) => (name === "mail" ? "the package aech-cli-mail" : undefined),
    });
    expect(await logOf(supervisor, folder, "mail")).toMatch(/refused: .*"mail" .*aech-cli-mail/);
    expect(existsSync(join(dataDir, "services", "mail.log"))).toBe(false);
  });
});

test("what an operator sets up for a service still works", async () => {
  const volumes = ["../data/app_context/mail:/shared", "./own/deep:/own"];
  mkdirSync(join(dataDir, "app_context", "mail"), { recursive: true });
  writeFileSync(join(dataDir, "app_context", "mail", "note"), "shared", { mode: 0o644 });
  mkdirSync(join(folder, "conf"));
  writeFileSync(join(folder, "conf", "more.env"), "MORE=there\n");
  write({
    env: "CAPSTAN_SHARE=app_context/mail\n",
    compose: { env_file: [".env", "conf/more.env"], volumes, environment: { TRY: "/shared/note" } },
  });
  const log = await logOf(supervise());
  expect(log).toContain('"MORE":"there"');
  if (isolation.privateRoot) expect(log).toContain("/shared/note shared");
  expect(readFileSync(join(folder, "conf", "more.env"), "utf8")).toBe("MORE=there\n");
});

test("the log and the name of somebody's service would be read with another person's key", async () => {
  const server = await testServer(await freshPglite());
  try {
    write({ env: "DELEGATED_USER=ada@example.com\nSECRET=her-mail\n" });
    const started = await server.call("POST", "/v1/services/box/start", { folder });
    expect(started.status, JSON.stringify(started.body)).toBe(200);
    const keyOf = async (owner: string, right: string) => {
      const { body } = await server.call("POST", "/v1/keys", { name: owner, owner, rights: [right] });
      return { authorization: `Bearer ${body.key}` };
    };
    const [ada, bob] = [await keyOf("ada@example.com", "read"), await keyOf("bob@example.com", "author")];
    const read = (path: string, who: Record<string, string>) => server.call("GET", path, undefined, who);
    await expect
      .poll(async () => (await read("/v1/services/box/logs", ada)).body, { timeout: 20_000 })
      .toContain("her-mail");
    expect((await read("/v1/services/box/logs", bob)).body).toMatchObject({ code: "not_found" });
    expect((await read("/v1/services", bob)).body.items).toEqual([]);
    expect((await read("/v1/services", ada)).body.items).toHaveLength(1);
  } finally {
    await server.stop();
  }
});

test.each([
  ["a file that everybody can read", (path: string, _: string) => writeFileSync(path, "", { mode: 0o666 })],
  ["a link", (path: string, to: string) => symlinkSync(to, path)],
])("a backup would be written into %s that another user of the machine made", async (_, plant) => {
  const [path, kept] = [join(root, "backup.gz"), join(root, "kept")];
  writeFileSync(kept, "theirs");
  plant(`${path}.partial`, kept);
  const lines = async function* () {
    yield { is: "part", base64: "" } as const;
  };
  const written = await writeArchive(path, lines(), () => ({ rows: {}, files: 0 }));
  expect(written.ok).toBe(true);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(lstatSync(path).isFile()).toBe(true);
  expect(readFileSync(kept, "utf8")).toBe("theirs");
});
