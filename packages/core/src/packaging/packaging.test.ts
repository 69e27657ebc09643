import { createHash } from "node:crypto";
import { crc32, deflateRawSync, gunzipSync, gzipSync, inflateRawSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type ArchiveCodec, type ArchiveFile, pathFault } from "./archive.ts";
import { buildNpmTarball, readNpmPackage, stripTopFolder } from "./npm-package.ts";
import { semverOf } from "./package-contents.ts";
import { readTarGz, writeTarGz } from "./tar.ts";
import { buildWheel, readWheel } from "./wheel.ts";
import { readZip, writeZip } from "./zip.ts";

const codec: ArchiveCodec = {
  inflateRaw: (bytes, maxOutputLength) => inflateRawSync(bytes, { maxOutputLength }),
  deflateRaw: (bytes) => deflateRawSync(bytes),
  gunzip: (bytes, maxOutputLength) => gunzipSync(bytes, { maxOutputLength }),
  gzip: (bytes) => gzipSync(bytes),
  crc32: (bytes) => crc32(bytes),
  sha256: (bytes) => createHash("sha256").update(bytes).digest(),
};
const FORMATS = [
  { name: "zip", write: writeZip, read: readZip },
  { name: "tar.gz", write: writeTarGz, read: readTarGz },
];

describe.each(FORMATS)("$name", ({ write, read }) => {
  test("round-trips what was packed", () => {
    const names = fc.uniqueArray(fc.stringMatching(/^[a-z]{1,8}(\/[a-z0-9é]{1,60}){0,3}\.t$/), {
      maxLength: 8,
    });
    fc.assert(
      fc.property(names, fc.uint8Array({ maxLength: 2000 }), fc.boolean(), (paths, bytes, executable) => {
        const packed = paths.map((path) => ({ path, bytes, executable }));
        const files = unpacked(read(write(packed, codec), codec));
        expect(files.map(({ path }) => path).sort()).toEqual([...paths].sort());
        for (const file of files) {
          expect([Buffer.compare(file.bytes, bytes), file.executable]).toEqual([0, executable]);
        }
      }),
      { numRuns: 50 },
    );
  });

  test("produces the same bytes for the same files", () => {
    const files = [text("a.txt", "x"), text("b/c.txt", "y")];
    expect(Buffer.compare(write(files, codec), write(files, codec))).toBe(0);
  });

  test.each([
    ["a path that leaves the folder", "../evil", /'\.\.'/],
    ["a path that leaves the folder from inside", "a/../../evil", /'\.\.'/],
    ["an absolute path", "/etc/passwd", /absolute/],
    ["a drive letter", "C:/x", /absolute/],
    ["a backslash", "..\\evil", /backslash/],
    ["a NUL character", "a\u0001b", /control/],
  ])("refuses %s", (_, path, why) => {
    expect(refusal(read(write([text(path, "x")], codec), codec))).toMatch(why);
  });

  test("refuses the same path twice", () => {
    expect(refusal(read(write([text("a", "1"), text("a", "2")], codec), codec))).toMatch(/twice/);
  });

  test("refuses a file that is also a folder", () => {
    expect(refusal(read(write([text("a", "1"), text("a/b", "2")], codec), codec))).toMatch(
      /a file and a folder/,
    );
  });

  test("refuses a zip bomb without unpacking it", () => {
    const bomb = write([{ path: "zeros", bytes: new Uint8Array(2_000_000) }], codec);
    expect(bomb.length).toBeLessThan(10_000);
    expect(refusal(read(bomb, codec, { maxArchiveBytes: 1e6, maxFiles: 10, maxTotalBytes: 1e6 }))).toMatch(
      /larger than/,
    );
  });

  test("refuses too many files and too large an archive", () => {
    const many = write(
      Array.from({ length: 5 }, (_, index) => text(`f${index}`, "x")),
      codec,
    );
    expect(refusal(read(many, codec, { maxArchiveBytes: 1e6, maxFiles: 4, maxTotalBytes: 1e6 }))).toMatch(
      /more than 4 files/,
    );
    expect(refusal(read(many, codec, { maxArchiveBytes: 10, maxFiles: 9, maxTotalBytes: 1e6 }))).toMatch(
      /larger than 10/,
    );
  });

  test("never throws on damaged bytes", () => {
    const good = write([text("a/b.txt", "hello"), text("c", "x".repeat(3000))], codec);
    fc.assert(
      fc.property(fc.nat(good.length - 1), fc.nat(255), fc.nat(good.length), (at, byte, length) => {
        const bytes = good.slice(0, length);
        if (at < bytes.length) bytes[at] = byte;
        return typeof read(bytes, codec).ok === "boolean";
      }),
    );
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 500 }), (bytes) => typeof read(bytes, codec).ok === "boolean"),
    );
  });
});

describe("links and false sizes", () => {
  test("a symbolic link in a zip is refused", () => {
    const zip = writeZip([text("link", "/etc/passwd")], codec);
    const central = findSignature(zip, 0x02014b50);
    new DataView(zip.buffer).setUint32(central + 38, (0o120777 << 16) >>> 0, true);
    expect(refusal(readZip(zip, codec))).toMatch(/link/);
  });

  test.each(["1", "2", "3", "6"])("tar entries of type %s (links, devices, pipes) are refused", (type) => {
    const tar = gunzipSync(writeTarGz([text("package/link", "")], codec));
    tar[156] = type.charCodeAt(0);
    fixChecksum(tar);
    expect(refusal(readTarGz(gzipSync(tar), codec))).toMatch(/link or a device/);
  });

  test("an entry that inflates to more than it declares is refused", () => {
    const zip = writeZip([{ path: "a", bytes: new Uint8Array(100_000) }], codec);
    for (const at of [22, findSignature(zip, 0x02014b50) + 24])
      new DataView(zip.buffer).setUint32(at, 10, true);
    expect(refusal(readZip(zip, codec))).toMatch(/larger than it declares/);
  });

  test("entries that share bytes are refused", () => {
    const zip = writeZip([text("a", "x".repeat(50)), text("b", "x".repeat(50))], codec);
    const first = findSignature(zip, 0x02014b50);
    const second = findSignature(zip, 0x02014b50, first + 4);
    new DataView(zip.buffer).setUint32(second + 42, 0, true);
    expect(refusal(readZip(zip, codec))).toMatch(/overlap|disagree/);
  });
});

test.each(["..", "../x", "a/..", "/x", "", "a//b", "./a", "x".repeat(500)])(
  "the path %j has a fault",
  (path) => {
    expect(pathFault(path)).toBeTypeOf("string");
  },
);

describe("wheels", () => {
  const pyproject = {
    project: {
      name: "aech-cli-demo",
      version: "0.1.0",
      description: "A demo",
      "requires-python": ">=3.11",
      dependencies: ["click>=8.0"],
      scripts: { "aech-cli-demo": "aech_cli_demo.main:cli" },
    },
  };
  const project = [
    text("src/aech_cli_demo/__init__.py", ""),
    text("src/aech_cli_demo/main.py", "def cli(): pass\n"),
    text("src/aech_cli_demo/__pycache__/main.pyc", "junk"),
    text("tests/test_main.py", ""),
    text("manifest.json", '{"name": "demo"}'),
    text("README.md", "# Demo"),
  ];

  test("built from a project report their contents", () => {
    const { fileName, files } = built(project);
    expect(fileName).toBe("aech_cli_demo-0.1.0-py3-none-any.whl");
    expect(files.map(({ path }) => path)).toEqual([
      "aech_cli_demo-0.1.0.dist-info/METADATA",
      "aech_cli_demo-0.1.0.dist-info/WHEEL",
      "aech_cli_demo-0.1.0.dist-info/entry_points.txt",
      "aech_cli_demo/__init__.py",
      "aech_cli_demo/main.py",
      "aech_cli_demo/manifest.json",
      "aech_cli_demo-0.1.0.dist-info/RECORD",
    ]);
    expect(readWheel(files, codec)).toEqual({
      ok: true,
      value: {
        kind: "wheel",
        name: "aech-cli-demo",
        version: "0.1.0",
        commands: ["aech-cli-demo"],
        dependencies: ["click>=8.0"],
        installScripts: [],
        manifestText: '{"name": "demo"}',
      },
    });
  });

  test("accepts a flat layout without src", () => {
    const flat = [text("aech_cli_demo/__init__.py", ""), text("aech_cli_demo/manifest.json", "{}")];
    expect(readWheel(built(flat).files, codec)).toMatchObject({ value: { manifestText: "{}" } });
  });

  test.each([
    [
      "a changed file",
      (files: ArchiveFile[]) =>
        files.map((file) => (file.path.endsWith("main.py") ? text(file.path, "evil") : file)),
      /differs/,
    ],
    ["an unlisted file", (files: ArchiveFile[]) => [...files, text("evil.py", "")], /not in its RECORD/],
    [
      "no RECORD",
      (files: ArchiveFile[]) => files.filter(({ path }) => !path.endsWith("RECORD")),
      /RECORD is missing/,
    ],
    [
      "no METADATA",
      (files: ArchiveFile[]) => files.filter(({ path }) => !path.endsWith("METADATA")),
      /not a wheel/,
    ],
  ])("with %s are refused", (_, change, why) => {
    expect(refusal(readWheel(change(built(project).files), codec))).toMatch(why);
  });

  test("are not built from a project without a package or a name", () => {
    expect(refusal(buildWheel(pyproject, [text("README.md", "")], codec))).toMatch(/has no package/);
    expect(refusal(buildWheel({ project: { version: "1" } }, project, codec))).toMatch(/project\.name/);
  });

  function built(files: ArchiveFile[]): { fileName: string; files: ArchiveFile[] } {
    const wheel = buildWheel(pyproject, files, codec);
    if (!wheel.ok) throw new Error(wheel.failure.message);
    return { fileName: wheel.value.fileName, files: unpacked(readZip(wheel.value.bytes, codec)) };
  }
});

describe("npm tarballs", () => {
  const json = {
    name: "capstan-cli-demo",
    version: "1.2.3",
    bin: { "capstan-cli-demo": "./src/main.ts" },
    dependencies: { zod: "4.6.7" },
    scripts: { postinstall: "curl evil", test: "vitest" },
    files: ["src"],
  };
  const project = [
    text("package.json", JSON.stringify(json)),
    text("manifest.json", "{}"),
    text("src/main.ts", "#!/usr/bin/env node\n"),
    text("src/main.test.ts", ""),
    text("notes.txt", ""),
    text("node_modules/x/index.js", ""),
  ];

  test("packed from a project report their contents", () => {
    const packed = buildNpmTarball(project, codec);
    if (!packed.ok) throw new Error(packed.failure.message);
    expect(packed.value.fileName).toBe("capstan-cli-demo-1.2.3.tgz");
    const files = stripTopFolder(unpacked(readTarGz(packed.value.bytes, codec)));
    expect(files.map(({ path, executable }) => [path, executable])).toEqual([
      ["manifest.json", false],
      ["package.json", false],
      ["src/main.ts", true],
    ]);
    expect(readNpmPackage(files)).toMatchObject({
      value: {
        name: "capstan-cli-demo",
        version: "1.2.3",
        commands: ["capstan-cli-demo"],
        dependencies: ["zod@4.6.7"],
        installScripts: ["postinstall"],
        manifestText: "{}",
      },
    });
  });

  test.each(["../evil.js", "/bin/sh", "a/../../b"])("with the command file %s are refused", (bin) => {
    expect(refusal(readNpmPackage([text("package.json", JSON.stringify({ ...json, bin }))]))).toMatch(/bin/);
  });
});

test.each([
  ["0.1.0", "0.1.0"],
  ["1.0", "1.0.0"],
  ["2", "2.0.0"],
  ["2.1rc1", "2.1.0-rc1"],
  ["1.0.0.post1", "1.0.0-post1"],
  ["1.2.3.4", "1.2.3-r4"],
  ["1.0.0-beta.2", "1.0.0-beta.2"],
  ["nonsense", "0.0.0"],
])("the version %s is kept as %s", (version, semver) => {
  expect(semverOf(version)).toBe(semver);
});

function text(path: string, content: string): ArchiveFile {
  return { path, bytes: new TextEncoder().encode(content) };
}

function unpacked(result: ReturnType<typeof readZip>): ArchiveFile[] {
  if (!result.ok) throw new Error(result.failure.message);
  return result.value;
}

function refusal(result: { ok: true } | { ok: false; failure: { message: string } }): string {
  if (result.ok) throw new Error("it was accepted");
  return result.failure.message;
}

function findSignature(bytes: Uint8Array, signature: number, from = 0): number {
  const view = new DataView(bytes.buffer);
  for (let at = from; at < bytes.length - 4; at++) if (view.getUint32(at, true) === signature) return at;
  throw new Error("no such signature");
}

function fixChecksum(tar: Uint8Array): void {
  const block = tar.subarray(0, 512);
  block.fill(32, 148, 156);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.set(new TextEncoder().encode(`${sum.toString(8).padStart(6, "0")}\0 `), 148);
}
