/** Malicious packages for tests: forged archives, archive bombs, and commands that hang or flood. */
import { constants, deflateRawSync } from "node:zlib";
import { writeZip } from "@capstan/core/internal";
import { nodeCodec } from "../../packages/runtime/src/install/node-codec.ts";
import { file } from "./test-packages.ts";

export function printing(kind: "wheel" | "npm", text: string): string {
  return kind === "wheel"
    ? `def cli(): print(${JSON.stringify(text)})\n`
    : `console.log(${JSON.stringify(text)})`;
}
export function hanging(kind: "wheel" | "npm"): string {
  return kind === "wheel" ? "import time\ndef cli(): time.sleep(600)\n" : "setInterval(() => {}, 1000)";
}
export function flooding(kind: "wheel" | "npm"): string {
  return kind === "wheel"
    ? "def cli():\n  while True: print('x' * 100000)\n"
    : "const more = () => process.stdout.write('x'.repeat(1e5), more); more();";
}

export function zipWithLink(): Uint8Array {
  const zip = writeZip([file("link", "/etc/passwd")], nodeCodec);
  new DataView(zip.buffer, zip.byteOffset).setUint32(signature(zip) + 38, (0o120777 << 16) >>> 0, true);
  return zip;
}

/** 1 GB of zeros in about 1 MB of deflate: one flushed megabyte, repeated. */
function zeros(): Buffer {
  const megabyte = deflateRawSync(Buffer.alloc(1024 * 1024), { finishFlush: constants.Z_FULL_FLUSH });
  return Buffer.concat([...Array.from({ length: 1024 }, () => megabyte), Buffer.from([3, 0])]);
}

export function zipBomb(says: number): Uint8Array {
  const zip = writeZip([file("zeros", "")], { ...nodeCodec, deflateRaw: zeros });
  const view = new DataView(zip.buffer, zip.byteOffset);
  for (const at of [22, signature(zip) + 24]) view.setUint32(at, says, true);
  return zip;
}

export function tarBomb(): Uint8Array {
  const head = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]);
  return Buffer.concat([head, zeros(), Buffer.alloc(8)]);
}

export function tamperedWheel(): Uint8Array {
  return writeZip(
    [
      file("aech_cli_demo-0.1.0.dist-info/METADATA", "Name: aech-cli-demo\nVersion: 0.1.0\n"),
      file("aech_cli_demo-0.1.0.dist-info/RECORD", "aech_cli_demo-0.1.0.dist-info/METADATA,sha256=AAAA,5\n"),
    ],
    nodeCodec,
  );
}

function signature(zip: Uint8Array): number {
  const view = new DataView(zip.buffer, zip.byteOffset, zip.byteLength);
  for (let at = zip.length - 4; at >= 0; at--) if (view.getUint32(at, true) === 0x02014b50) return at;
  throw new Error("no central directory");
}
