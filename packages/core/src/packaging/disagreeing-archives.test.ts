/** Archives that two programs read differently: what is reviewed would not be what pip or npm installs. */
import { createHash } from "node:crypto";
import { crc32, deflateRawSync, gunzipSync, gzipSync, inflateRawSync } from "node:zlib";
import { expect, test } from "vitest";
import type { ArchiveCodec, ArchiveFile } from "./archive.ts";
import { readNpmPackage, stripTopFolder } from "./npm-package.ts";
import { readWheel } from "./wheel.ts";
import { readZip, writeZip } from "./zip.ts";

const codec: ArchiveCodec = {
  inflateRaw: (bytes, maxOutputLength) => inflateRawSync(bytes, { maxOutputLength }),
  deflateRaw: (bytes) => deflateRawSync(bytes),
  gunzip: (bytes, maxOutputLength) => gunzipSync(bytes, { maxOutputLength }),
  gzip: (bytes) => gzipSync(bytes),
  crc32: (bytes) => crc32(bytes),
  sha256: (bytes) => createHash("sha256").update(bytes).digest(),
};
const text = (path: string, content: string): ArchiveFile => ({ path, bytes: Buffer.from(content) });
const END_BYTES = 22;

/** The same archive with numbers changed, counted from its end record. */
function changed(bytes: Uint8Array, change: (view: DataView, end: number) => void): Uint8Array {
  const copy = Uint8Array.from(bytes);
  change(new DataView(copy.buffer), copy.length - END_BYTES);
  return copy;
}

const good = writeZip([text("a", "seen"), text("b", "hidden")], codec);
const directoryOf = (bytes: Uint8Array) => new DataView(bytes.buffer).getUint32(bytes.length - 6, true);
const concat = (...parts: Uint8Array[]): Uint8Array<ArrayBuffer> => Uint8Array.from(Buffer.concat(parts));
/** An extra field of the first entry of the list of files. */
function withExtra(id: number): Uint8Array {
  const single = writeZip([text("a", "seen")], codec);
  const [at, end] = [directoryOf(single), single.length - END_BYTES];
  const field = Uint8Array.from([id & 0xff, id >> 8, 1, 0, 7]);
  const bytes = concat(single.subarray(0, end), field, single.subarray(end));
  return changed(bytes, (view, newEnd) => {
    view.setUint16(at + 30, field.length, true);
    view.setUint32(newEnd + 12, newEnd - at, true);
  });
}

test.each([
  [
    "a list that is longer than its count",
    changed(good, (v, end) => [8, 10].map((at) => v.setUint16(end + at, 1, true))),
  ],
  ["two counts", changed(good, (v, end) => v.setUint16(end + 8, 1, true))],
  [
    "a list that Python looks for elsewhere",
    changed(good, (v, end) => v.setUint32(end + 12, v.getUint32(end + 12, true) - 1, true)),
  ],
  ["bytes before its first file, which move every address", concat(Buffer.from("#!/bin/sh\n"), good)],
  ["a second name in the file's own header", changed(good, (v) => v.setUint8(30, "z".charCodeAt(0)))],
  [
    "a name without its encoding",
    changed(writeZip([text("é", "x")], codec), (v, end) =>
      v.setUint16(v.getUint32(end + 16, true) + 8, 0, true),
    ),
  ],
  ["a Unicode name beside the name", withExtra(0x7075)],
  ["sizes of zip64 beside the sizes", withExtra(0x0001)],
  ["several disks", changed(good, (v, end) => v.setUint16(end + 4, 1, true))],
  ["bytes after its end", concat(good, Buffer.from("x"))],
])("a zip with %s is refused", (_, bytes) => {
  const read = readZip(bytes, codec);
  expect(read).toMatchObject({ ok: false, failure: { code: "archive_refused" } });
});

test("a zip with the record of zip64, which Python prefers to the list's own, is refused", () => {
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(0x07064b50);
  const end = good.length - END_BYTES;
  const read = readZip(concat(good.subarray(0, end), locator, good.subarray(end)), codec);
  expect(read).toMatchObject({ failure: { message: expect.stringContaining("zip64") } });
});

test("a zip with times of files and a comment, as other programs write them, is read", () => {
  const comment = Buffer.from("made by zip");
  const noted = changed(withExtra(0x5455), (v, end) => v.setUint16(end + 20, comment.length, true));
  expect(readZip(concat(noted, comment), codec)).toMatchObject({ ok: true, value: [{ path: "a" }] });
});

function wheel(about: { name?: string; version?: string }, ...more: ArchiveFile[]): ArchiveFile[] {
  const { name = "aech-cli-demo", version = "0.1.0" } = about;
  const files = [text("x-1.dist-info/METADATA", `Name: ${name}\nVersion: ${version}\n`), ...more];
  const hash = ({ bytes }: ArchiveFile) => createHash("sha256").update(bytes).digest("base64url");
  const record = files.map((each) => `${each.path},sha256=${hash(each)},${each.bytes.length}\n`).join("");
  return [...files, text("x-1.dist-info/RECORD", record)];
}

test.each([
  ["a version that is a path", wheel({ version: "/../../../../tmp/x" }), /would refuse/],
  ["a version with options for pip", wheel({ version: "1.0 --index-url=http://x" }), /would refuse/],
  ["a name that is a path", wheel({ name: "../aech-cli-demo" }), /would refuse/],
  ["metadata twice", wheel({}, text("y-1.dist-info/METADATA", "Name: y\nVersion: 1\n")), /more than one/],
])("a wheel with %s is refused", (_, files, why) => {
  expect(readWheel(files, codec)).toMatchObject({ failure: { message: expect.stringMatching(why) } });
});

test.each(["0.1.0", "2!1.0rc1.post2.dev3+local.7", "v1.0", "1.0-1"])(
  "a wheel of version %s is read",
  (version) => {
    expect(readWheel(wheel({ version }), codec)).toMatchObject({ ok: true, value: { version } });
  },
);

test("an npm package whose files differ only in the top folder is refused", () => {
  const json = (bin: string) => JSON.stringify({ name: "x", version: "1.0.0", bin });
  const files = [text("package/package.json", json("a.js")), text("other/package.json", json("../../b.js"))];
  expect(readNpmPackage(stripTopFolder(files))).toMatchObject({
    failure: { message: expect.stringContaining("package.json twice") },
  });
});
