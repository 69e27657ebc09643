/**
 * Attacks of a hostile wheel that was built by hand, on the server that installs it, with the real pip and an index on
 * loopback, as root and as another user.
 */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeZip } from "@capstan/core/internal";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type InstallAnswer, installAs, SERVERS } from "../../../../tools/packages/install-as.ts";
import { LoopbackRegistry } from "../../../../tools/packages/loopback-registry.ts";
import { demoManifest, file } from "../../../../tools/packages/test-packages.ts";
import { nodeCodec } from "../../../runtime/src/install/node-codec.ts";

let registry: LoopbackRegistry;
let folder: string;
beforeEach(async () => {
  registry = await LoopbackRegistry.start();
  folder = mkdtempSync(join(tmpdir(), "capstan-wheels-"));
  chmodSync(folder, 0o777);
  mkdirSync(join(folder, "open"));
  chmodSync(join(folder, "open"), 0o777);
});
afterEach(() => {
  registry.close();
  rmSync(folder, { recursive: true, force: true });
});

describe.each(SERVERS)("a wheel that a server run by $server installs", ({ drop }) => {
  const install = (bytes: Uint8Array): Promise<InstallAnswer> =>
    installAs(
      drop,
      bytes,
      { fileName: "x.whl" },
      { folder, registryUrl: registry.url, secret: "secret", npmToken: "token" },
    );

  test("would be written to a folder that its version names, with the server's rights", async () => {
    const up = "/..".repeat(20);
    const answer = await install(wheel({ version: `${up}${folder}/open/reached`, files: COMMAND }));
    expect(answer).toMatchObject({ failure: { code: "archive_refused" } });
    expect(existsSync(join(folder, "open", "reached-py3-none-any.whl"))).toBe(false);
  });

  test("would run code of a dependency while it is installed, with the machine's network, by a .pth file", async () => {
    const beacon = `import urllib.request; urllib.request.urlopen("${registry.url}beacon/pth")\n`;
    const carrier = { name: "carrier", version: "1.0", files: { "zz.pth": beacon } };
    registry.upload("carrier", "carrier-1.0-py3-none-any.whl", wheel(carrier));
    const answer = await install(wheel({ files: COMMAND, dependencies: ["carrier"] }));
    expect(answer).toMatchObject({ ok: true, value: { record: { name: "aech-cli-demo" } } });
    expect(registry.beacons).toEqual([]);
  });

  test("would choose which of the machine's folders its commands can read, by its own pyvenv.cfg", async () => {
    const settings = "home = /root/bin\n";
    const inDependency = { "carrier-1.0.data/data/pyvenv.cfg": settings };
    const carrier = wheel({ name: "carrier", version: "1.0", files: inDependency });
    registry.upload("carrier", "carrier-1.0-py3-none-any.whl", carrier);
    const own = { ...COMMAND, "aech_cli_demo-0.1.0.data/data/pyvenv.cfg": settings };
    for (const bytes of [wheel({ files: own }), wheel({ files: COMMAND, dependencies: ["carrier"] })]) {
      expect(await install(bytes)).toMatchObject({
        failure: { code: "archive_refused", message: expect.stringContaining("pyvenv.cfg") },
      });
    }
  });
});

interface CraftedWheel {
  readonly name?: string;
  readonly version?: string;
  readonly dependencies?: readonly string[];
  readonly files?: Readonly<Record<string, string>>;
}

const COMMAND = {
  "aech_cli_demo/__init__.py": "",
  "aech_cli_demo/main.py": "def cli(): pass\n",
  "manifest.json": JSON.stringify(demoManifest),
};

/** Unlike a build, it takes any name, version and file. */
function wheel({ name = "aech-cli-demo", version = "0.1.0", dependencies = [], files = {} }: CraftedWheel) {
  const info = `${name.replaceAll("-", "_")}-${version.includes("/") ? "0" : version}.dist-info`;
  const needs = dependencies.map((each) => `Requires-Dist: ${each}\n`).join("");
  const all = Object.entries({
    ...files,
    [`${info}/METADATA`]: `Metadata-Version: 2.1\nName: ${name}\nVersion: ${version}\n${needs}`,
    [`${info}/WHEEL`]: "Wheel-Version: 1.0\nGenerator: hand\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    [`${info}/entry_points.txt`]: "[console_scripts]\naech-cli-demo = aech_cli_demo.main:cli\n",
  }).map(([path, text]) => file(path, text));
  const hash = (bytes: Uint8Array) => Buffer.from(nodeCodec.sha256(bytes)).toString("base64url");
  const record = all.map(({ path, bytes }) => `${path},sha256=${hash(bytes)},${bytes.length}\n`).join("");
  return writeZip([...all, file(`${info}/RECORD`, record)], nodeCodec);
}
