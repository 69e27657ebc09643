/** A linked folder: its author edits it, and what is installed follows, as long as it asks for nothing more. */
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { packageHostIn, value } from "../../../../tools/packages/package-host.ts";
import { demoManifest, testTarball, writeNodeProject } from "../../../../tools/packages/test-packages.ts";
import { type FreshStore, freshPglite } from "../../../../tools/stores-under-test.ts";
import { type Database, openDatabase } from "../db/database.ts";
import type { PackageHost } from "./create-package-host.ts";
import { LinkedFolders } from "./linked-folders.ts";
import { type PackageStore, packageStore } from "./package-store.ts";

let store: FreshStore;
let database: Database;
let packages: PackageStore;
let host: PackageHost;
let home: string;
let folder: string;
let linked: LinkedFolders;
let updates: string[];
const user = "dev@example.com";

beforeAll(async () => {
  store = await freshPglite();
  chmodSync(store.dataDir, 0o755);
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
  home = join(store.dataDir, `host-${crypto.randomUUID()}`);
  mkdirSync(home, { recursive: true });
  host = await packageHostIn(packages, home);
  folder = join(home, "project");
  writeNodeProject(folder);
  updates = [];
  linked = new LinkedFolders({
    store: packages,
    installer: host.installer,
    onUpdate: async ({ version }) => void updates.push(version),
    onError: (error) => {
      throw error;
    },
  });
});
afterEach(async () => {
  for (const { name } of await packages.list()) await packages.remove(name);
  rmSync(home, { recursive: true, force: true });
});

const install = (link: boolean) => host.installer.install({ source: folder }, { user, accept: true, link });
/** A change counts once nothing has moved between two looks. */
const lookTwice = async () => {
  await linked.look();
  await linked.look();
};
const stored = async () => (await packages.list())[0];
const edit = (name: string, text: string) => writeFileSync(join(folder, name), text);
const installedText = async () => {
  const record = await stored();
  if (!record) throw new Error("nothing is installed");
  return readFileSync(join(value(await host.placed.folderOf(record)), "package", "main.mjs"), "utf8");
};

test("a change of its files is installed without a version bump and without a question", async () => {
  value(await install(true));
  edit("main.mjs", "console.log('second')\n");
  await lookTwice();
  expect(await installedText()).toBe("console.log('second')\n");
  expect(await stored()).toMatchObject({ linked: true, version: "1.0.0" });
  await lookTwice();
  expect(updates).toEqual(["1.0.0"]);
});

test("nothing is installed while files still change", async () => {
  value(await install(true));
  await linked.look();
  edit("main.mjs", "console.log('half of a");
  await linked.look();
  expect(updates).toEqual([]);
});

test.each([
  ["more rights", { required_scopes: ["Demo.Use", "Demo.Everything"] }, /more rights/],
  [
    "another action",
    { actions: [...demoManifest.actions, { name: "wipe", description: "x", parameters: [] }] },
    /more rights/,
  ],
])("a change that asks for %s waits for a review; the version from before stays", async (_, change, why) => {
  value(await install(true));
  const before = await stored();
  const command = "capstan-cli-other";
  edit("manifest.json", JSON.stringify({ ...demoManifest, name: "other", command, ...change }));
  await lookTwice();
  expect((await stored())?.sha256).toBe(before?.sha256);
  expect(linked.problems.get("capstan-cli-other")).toMatchObject({ code: "package_link_waits" });
  expect(linked.problems.get("capstan-cli-other")?.message).toMatch(why);
});

test("a change of its dependencies waits for a review", async () => {
  value(await install(true));
  const json = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  edit("package.json", JSON.stringify({ ...json, dependencies: { "left-pad": "1.3.0" } }));
  await lookTwice();
  expect(linked.problems.get("capstan-cli-other")?.message).toMatch(/dependencies/);
});

test("a folder that is broken for a moment keeps the version from before, and is taken when it is mended", async () => {
  value(await install(true));
  const manifest = readFileSync(join(folder, "manifest.json"), "utf8");
  edit("manifest.json", "{");
  await lookTwice();
  expect(linked.problems.has("capstan-cli-other")).toBe(true);
  edit("manifest.json", manifest.replace("Echoes", "Repeats"));
  await lookTwice();
  expect(linked.problems.has("capstan-cli-other")).toBe(false);
  expect((await stored())?.description.summary).toMatch(/Repeats/);
});

test("a folder that was installed without a link is not watched, but installs again without a version bump", async () => {
  value(await install(false));
  edit("main.mjs", "console.log('second')\n");
  await lookTwice();
  expect(await installedText()).toBe("");
  value(await install(false));
  expect(await installedText()).toBe("console.log('second')\n");
});

test("only a folder can be linked", async () => {
  const source = { source: "aech-cli-demo-0.1.0.tgz", bytes: testTarball({}) };
  const refused = await host.installer.install(source, { user, accept: true, link: true });
  expect(refused).toMatchObject({ ok: false, failure: { code: "package_link_folder" } });
  expect(await packages.list()).toEqual([]);
});
