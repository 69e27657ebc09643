/** The package, service and trigger commands, against a real server. */
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { typeCommand } from "../../../../tools/command-under-test.ts";
import { readableCopies } from "../../../../tools/packages/readable-copy.ts";
import { demoManifest, testTarball, writeNodeProject } from "../../../../tools/packages/test-packages.ts";
import { type FreshStore, freshPglite } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";

let store: FreshStore;
let server: TestServer;
let folder: string;
let saidAtStart: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "capstan-install-"));
  store = await freshPglite();
  drop("aech-cli-demo-0.1.0.tgz", testTarball());
  drop("left-pad-1.0.0.tgz", testTarball({ name: "left-pad" }));
  drop("broken.whl", new Uint8Array(50));
  const stderr = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  server = await testServer(store);
  await vi.waitFor(() => expect(stderr.mock.calls.join("")).toContain("broken.whl"), 10_000);
  saidAtStart = stderr.mock.calls.join("");
  stderr.mockRestore();
});
afterAll(async () => {
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

function drop(name: string, bytes: Uint8Array): string {
  const clis = join(store.dataDir, "capabilities", "clis");
  mkdirSync(clis, { recursive: true });
  writeFileSync(join(clis, name), bytes);
  return join(clis, name);
}

const keep = (name: string, bytes: Uint8Array): string => {
  writeFileSync(join(folder, name), bytes);
  return join(folder, name);
};

const capstan = (args: string[], answers: string[] = []) =>
  typeCommand(server.url, args, answers.length > 0 ? { answers } : {});
const installed = async () => JSON.parse((await capstan(["packages", "--json"])).out).items;

test("a command with spaces in its path reaches the server unchanged", async () => {
  const script = join(folder, "my tools", "server.mjs");
  const { out } = await capstan(["install", "node", script, "--kind", "mcp"], ["n"]);
  expect(out).toContain(`node ${script}`);
});

test("of a file of MCP servers, one that cannot start is named at the end, and the others are installed", async () => {
  const copies = readableCopies();
  const everything = copies.packageFile("@modelcontextprotocol/server-everything", "dist/index.js");
  const mcpServers = {
    broken: { command: "node", args: [join(folder, "no-such-server.mjs")] },
    works: { command: "node", args: [everything] },
  };
  const file = keep("servers.json", Buffer.from(JSON.stringify({ mcpServers })));
  const { code, err } = await capstan(["install", file, "--yes"], ["y", "y"]);
  copies.remove();
  expect(code).toBe(1);
  expect(err).toContain("1 of 2 servers were not installed. broken: ");
  expect(err).toContain(`${file}#broken`);
  expect((await installed()).map(({ name }: { name: string }) => name)).toContain("works");
  expect(await capstan(["uninstall", "works"], ["y"])).toMatchObject({ code: 0 });
});

describe("what lies in the drop folder", () => {
  test("is reported at startup and by --scan, waits for confirmation, and no longer waits once installed", async () => {
    const path = join(store.dataDir, "capabilities", "clis", "aech-cli-demo-0.1.0.tgz");
    expect(saidAtStart).toContain(`${path} is waiting for review`);
    expect(saidAtStart).not.toContain("left-pad");
    const { out } = await capstan(["install", "--scan"]);
    expect(out).toContain("aech-cli-demo 0.1.0 (npm)");
    expect(out).toContain(`capstan install ${path}`);
    expect(out).toMatch(/broken\.whl\n {2}\S+/);
    expect(out).not.toContain("left-pad");
    expect(await installed()).toEqual([]);
    expect((await capstan(["install", path], ["y"])).code).toBe(0);
    expect((await capstan(["install", "--scan"])).out).not.toContain("aech-cli-demo");
    expect((await capstan(["uninstall", "aech-cli-demo"])).code).toBe(0);
  });
});

describe("capstan install", () => {
  test("shows the review and asks; a no installs nothing, a yes installs, --grant grants", async () => {
    const path = keep("demo.tgz", testTarball());
    const no = await capstan(["install", path], ["n"]);
    expect(no).toMatchObject({ code: 1, err: expect.stringContaining("Nothing was installed") });
    expect(no.out).toContain(
      "adds: demo_echo (reads private, writes external), demo_write (Demo.Write, reads private, writes external)",
    );
    expect(await installed()).toEqual([]);
    expect((await capstan(["install", path])).err).toContain("--yes");
    const yes = await capstan(["install", path, "--grant", "Demo.Use"], ["y"]);
    expect(yes.out).toContain("Installed aech-cli-demo 0.1.0");
    const { rows } = await server.services.database.pool.query("select subject, scope from grants");
    expect(rows).toEqual([{ subject: "user:local@localhost", scope: "Demo.Use" }]);
  });

  test("refuses other bytes of a version that is pinned", async () => {
    const other = keep("other.tgz", testTarball({ code: "console.log('other')" }));
    const { code, err } = await capstan(["install", other, "--yes"]);
    expect([code, err]).toEqual([1, expect.stringMatching(/0\.1\.0.*other|hash|sha256/is)]);
  });

  test("shows the additional permissions of an update, and asks", async () => {
    const manifest = { ...demoManifest, required_scopes: ["Demo.Use", "Demo.More"] };
    const path = keep("grown.tgz", testTarball({ version: "0.2.0", manifest }));
    const no = await capstan(["install", path], ["n"]);
    expect(no.out).toContain("replaces version 0.1.0\n  NEW RIGHTS:\n    + scope Demo.More\n");
    expect(await installed()).toMatchObject([{ version: "0.1.0" }]);
    expect((await capstan(["install", path, "--yes"])).out).toContain("Installed aech-cli-demo 0.2.0");
  });

  test("refuses to uninstall what agents need, names them, and does it with --force", async () => {
    await server.call("POST", "/v1/agents", { name: "Parrot", capabilities: ["demo"] });
    const refused = await capstan(["uninstall", "aech-cli-demo"]);
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining("Parrot") });
    const { out } = await capstan(["uninstall", "aech-cli-demo", "--force"]);
    expect(out).toContain("the agent Parrot is broken: ");
    expect(out).toContain("still used by the agent Parrot");
    expect(await installed()).toEqual([]);
    expect(existsSync(join(store.dataDir, "packages", "npm"))).toBe(false);
  });

  test("asks before running a package without a manifest, which --yes alone does not answer", async () => {
    const code = `console.log(${JSON.stringify(JSON.stringify(demoManifest))});`;
    const path = keep("silent.tgz", testTarball({ manifest: undefined, code }));
    const refused = await capstan(["install", path, "--yes"]);
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining("--run-to-describe") });
    expect(await installed()).toEqual([]);
    const asked = await capstan(["install", path], ["y", "n"]);
    expect(asked.questions).toEqual([
      expect.stringContaining("Run it once, isolated"),
      expect.stringContaining("Install it?"),
    ]);
    expect(asked.out).toContain("adds: demo_echo");
    expect(await installed()).toEqual([]);
    const done = await capstan(["install", path, "--yes", "--run-to-describe", "--json"]);
    expect(JSON.parse(done.out)).toMatchObject({
      name: "aech-cli-demo",
      description: { capability: "demo" },
    });
    await capstan(["uninstall", "aech-cli-demo"]);
  });
});

test("capstan services starts a folder, shows its state and log, and stops it", async () => {
  const service = join(folder, "capstan-rt-tick");
  mkdirSync(service);
  const write = (name: string, text: string) => writeFileSync(join(service, name), text);
  write(
    "docker-compose.yml",
    "services:\n  tick:\n    build: .\n    image: capstan-rt-tick\n    env_file:\n      - .env\n    volumes:\n      - ../data/app_context/tick:/data\n    restart: unless-stopped\n",
  );
  write("Dockerfile", 'FROM node:24-slim\nCMD ["node", "service.mjs"]\n');
  write(".env", "DELEGATED_USER=local@localhost\nPOLL_INTERVAL=60\n");
  write(
    "service.mjs",
    `import { createServer } from "node:http";
     const server = createServer((_, answer) => answer.end("{}"));
     server.listen(Number(process.env.PORT), process.env.HOST, () => console.log("ticking"));
     process.on("SIGTERM", () => { console.log("stopped cleanly"); process.exit(0); });`,
  );
  const started = await capstan(["services", "start", service]);
  expect(started).toMatchObject({ code: 0, out: expect.stringContaining("tick: ") });
  await expect
    .poll(async () => (await capstan(["services"])).out, { timeout: 20_000 })
    .toMatch(/NAME +STATE +RESTARTS +URL[\s\S]*tick +running +0 +http/);
  expect((await capstan(["services", "logs", "tick"])).out).toContain("ticking");
  expect((await capstan(["services", "stop", "tick"])).out).toBe("tick: stopped\n");
  expect((await capstan(["services", "logs", "tick"])).out).toContain("stopped cleanly");
  expect(await capstan(["services", "start", "nothing"])).toMatchObject({ code: 1 });
  expect(await capstan(["services", "dance"])).toMatchObject({ code: 1 });
});

test("capstan triggers lists triggers and their outcome, retries and drops", async () => {
  const outbox = join(store.dataDir, "rt_triggers", "nobody");
  mkdirSync(outbox, { recursive: true });
  writeFileSync(join(outbox, "bad.json.tmp"), "{");
  renameSync(join(outbox, "bad.json.tmp"), join(outbox, "bad.json"));
  await expect
    .poll(async () => (await capstan(["triggers", "--status", "invalid"])).out, { timeout: 20_000 })
    .toMatch(/ID +CAPABILITY +STATUS[\s\S]*nobody +invalid[\s\S]*JSON/);
  const [{ id }] = JSON.parse((await capstan(["triggers", "--json"])).out).items;
  expect((await capstan(["triggers", "drop", id])).out).toBe(`${id}: dropped\n`);
  expect(await capstan(["triggers", "retry", "no-such-trigger"])).toMatchObject({ code: 1 });
});

test.each([
  ["cli", "tally", [], "how many words are in notes.txt"],
  ["rt", "parcels", ["--pattern", "file"], "which parcels items are waiting"],
  ["rt", "helpdesk", ["--pattern", "api"], "search the helpdesk for network"],
])("a new %s, %s, is found by a task as it was written", async (type, name, more, task) => {
  expect((await capstan(["new", type, name, ...more, "--into", folder])).code).toBe(0);
  const project = join(folder, `capstan-${type}-${name}`);
  expect(await capstan(["install", project, "--yes"])).toMatchObject({ code: 0, err: "" });
  const { out } = await capstan(["route", task, "--json"]);
  expect(JSON.parse(out).matches[0]).toMatchObject({ id: name });
  expect((await capstan(["uninstall", `capstan-cli-${name}`])).code).toBe(0);
});

describe("a linked folder", () => {
  test("follows its author's edits without a version or a second install; when it fails, a line is shown and the whole output on request", async () => {
    const project = join(folder, "linked");
    writeNodeProject(project);
    const says = (text: string) =>
      writeFileSync(join(project, "main.mjs"), `console.log(${JSON.stringify(text)})\n`);
    says("first");
    const { out } = await capstan(["install", project, "--link", "--yes", "--grant", "Demo.Use"]);
    expect(out).toMatch(/later changes in this folder .*linked to /s);
    const answer = async () => (await capstan(["tool", "run", "other", "other_echo", "text=x"])).out;
    expect(await answer()).toContain("first");
    says("second");
    await vi.waitFor(async () => expect(await answer()).toContain("second"), {
      timeout: 20_000,
      interval: 200,
    });
    expect((await capstan(["packages"])).out).toMatch(/capstan-cli-other +1\.0\.0 +npm, linked/);
    const { body } = await server.call("GET", "/v1/audit");
    expect(body.items).toContainEqual(
      expect.objectContaining({ action: "package.updated", subject: "capstan-cli-other" }),
    );
    writeFileSync(join(project, "main.mjs"), FAILING);
    const failed = () => capstan(["tool", "run", "other", "other_echo", "text=x"]);
    const { err } = await vi.waitFor(
      async () => {
        const run = await failed();
        expect(run.err).toContain("ended with code 3: the tide is out");
        return run;
      },
      { timeout: 20_000, interval: 200 },
    );
    expect(err).not.toContain("yyy");
    const id = /capstan output ([\w-]+)/.exec(err)?.[1] ?? "";
    const whole = await capstan(["output", id]);
    expect(whole.out).toContain(`${"y".repeat(5000)}\nthe tide is out\n`);
    expect(JSON.parse((await capstan(["output", id, "--json"])).out)).toMatchObject({ exit_code: 3 });
    expect((await capstan(["output", crypto.randomUUID()])).code).toBe(1);
    await capstan(["uninstall", "capstan-cli-other"]);
  });
});

const FAILING = `console.log("y".repeat(5000)); console.error("the tide is out"); process.exitCode = 3;\n`;
