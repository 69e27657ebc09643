/** Third-party programs, wrapped by their --help output and called through the gate. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { typeCommand } from "../../../../tools/command-under-test.ts";
import { freshPglite } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";

let server: TestServer;
let folder: string;
let hasRegistry: boolean;
const NO_REGISTRY = "the npm registry is out of reach";

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "capstan-wrap-"));
  const { PATH = "", HOME = "", NODE_EXTRA_CA_CERTS: ca } = process.env;
  const environment = { PATH, HOME, ...(ca && { NODE_EXTRA_CA_CERTS: ca }) };
  const asked = spawnSync("npm", ["view", "semver", "version", "--fetch-retries=0"], {
    env: environment,
    cwd: folder,
    timeout: 30_000,
  });
  hasRegistry = asked.status === 0;
  server = await testServer(await freshPglite(), {}, { environment });
});
afterAll(async () => {
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const capstan = (args: string[], answers?: string[]) =>
  typeCommand(server.url, args, answers ? { answers } : {});
const call = async (capability: string, input: object) => {
  const said = await capstan(["tool", "run", capability, `${capability}_run`, JSON.stringify(input)]);
  return said.code === 0 ? said.out.trim() : said.err;
};

describe("capstan wrap", () => {
  test("asks before it runs a program, before it writes and before it installs; a no leaves nothing", async () => {
    const first = await capstan(["wrap", "sort", "--into", folder], ["n"]);
    expect(first).toMatchObject({ code: 1, err: expect.stringContaining("Nothing was run") });
    const second = await capstan(["wrap", "sort", "--into", folder], ["y", "n"]);
    expect(second.err).toContain("Nothing was written");
    expect(second.out).toContain("reverse: boolean, --reverse");
    expect(existsSync(join(folder, "capstan-cli-sort"))).toBe(false);
    const third = await capstan(["wrap", "sort", "--into", folder], ["y", "y", "n"]);
    expect(third.err).toContain("Nothing was installed");
    const again = await capstan(["wrap", "sort", "--yes", "--into", folder]);
    expect(again).toMatchObject({ code: 1, err: expect.stringContaining("capstan-cli-sort") });
  });

  test("an npm package: semver, from its help to a call that gives the right answer", async ({ skip }) => {
    if (!hasRegistry) skip(NO_REGISTRY);
    const wrapped = await capstan(["wrap", "npm:semver", "--yes", "--into", folder]);
    expect(wrapped).toMatchObject({ code: 0, out: expect.stringContaining("Installed capstan-cli-semver") });
    expect(await call("semver", { version: ["1.2.3", "1.10.0", "2.0.0"], range: "^1.5" })).toBe("1.10.0");
    expect(await call("semver", { version: "1.9.9", increment: "minor" })).toBe("1.10.0");
    expect(await call("semver", { version: "no version" })).toContain("ended with code 1");
  });

  test("its manifest is a file to edit, and installing the folder again takes the change", async ({
    skip,
  }) => {
    if (!hasRegistry) skip(NO_REGISTRY);
    const path = join(folder, "capstan-cli-semver", "manifest.json");
    const manifest = JSON.parse(readFileSync(path, "utf8"));
    const bump = { ...manifest.actions[0], name: "next-patch", fixed_arguments: ["--increment", "patch"] };
    writeFileSync(path, JSON.stringify({ ...manifest, actions: [...manifest.actions, bump] }));
    expect((await capstan(["install", join(folder, "capstan-cli-semver"), "--yes"])).code).toBe(0);
    const said = await capstan(["tool", "run", "semver", "semver_next-patch", '{"version": "1.2.3"}']);
    expect(said.out.trim()).toBe("1.2.4");
  });

  test("an npm package whose help is a manual page: marked", async ({ skip }) => {
    if (!hasRegistry) skip(NO_REGISTRY);
    const wrapped = await capstan(["wrap", "npm:marked", "--yes", "--into", folder, "--json"]);
    expect(wrapped).toMatchObject({ code: 0, err: "" });
    expect(JSON.parse(wrapped.out)).toMatchObject({ name: "capstan-cli-marked" });
    expect(await call("marked", { string: "*now*" })).toBe("<p><em>now</em></p>");
  });

  test("a program of the system: jq, with text on its standard input", async ({ skip }) => {
    if (!existsSync("/usr/bin/jq")) skip("jq is not installed");
    expect((await capstan(["wrap", "jq", "--yes", "--into", folder])).code).toBe(0);
    expect(await call("jq", { filter: ".a | length", stdin: '{"a": [1, 2, 3]}' })).toBe("3");
    expect(await call("jq", { filter: ".a", file: "/x.json" })).toContain("requires a session");
  });

  test("a package that is no capability is offered wrap", async ({ skip }) => {
    if (!hasRegistry) skip(NO_REGISTRY);
    const foreign = await capstan(["install", "semver", "--yes"]);
    expect(foreign.err).toContain("capstan wrap semver");
  });

  test.each([
    ["/etc/passwd", "is no program"],
    ["/work/program", "is no program"],
    ["dash", "printed no help"],
    ["npm:no such name", "Nothing installable found"],
  ])("%s is refused with a next step", async (source, why) => {
    const refused = await capstan(["wrap", source, "--yes", "--into", folder]);
    expect(refused).toMatchObject({ code: 1, err: expect.stringContaining(why) });
  });
});
