/** The tool that reads a skill's bundled files. Only files listed at load can be read, so a path cannot lead outside. */
import { lstat, realpath } from "node:fs/promises";
import { join, sep } from "node:path";
import { type AnyTool, defineTool, fail, ok, type Result, type SessionFileStore } from "@capstan/core";
import { z } from "zod";
import { readPlainFile } from "../files/plain-file.ts";

const FILE_BYTES = 1_000_000; // read into a conversation; a larger file is copied into the session instead
const COPY_BYTES = 10_000_000;

export interface SkillFiles {
  readonly name: string;
  readonly skill: string;
  readonly folder: string;
  readonly files: readonly string[];
}

export function readSkillFile({ name, skill, folder, files }: SkillFiles): AnyTool {
  const known = new Set([...files, "SKILL.md"]);
  return defineTool({
    name,
    description: `Read a file that comes with the skill "${skill}". With copy_to it is written into the session's files instead, where other tools can use it.`,
    input: z.object({
      path: z
        .string()
        .min(1)
        .max(500)
        .default("SKILL.md")
        .describe("SKILL.md for the instructions, or another file such as references/forms.md."),
      copy_to: z.string().min(1).optional().describe("A session path, such as /scripts/fill.py."),
    }),
    output: z.object({
      path: z.string(),
      size_bytes: z.int(),
      content: z.string().optional(),
      encoding: z.enum(["text", "base64"]).optional(),
      copied_to: z.string().optional(),
    }),
    idempotent: true,
    writes: "internal",
    async run({ path, copy_to }, { fileStore }) {
      const wanted = path.replace(/^(\.?\/)+/, "");
      if (!known.has(wanted)) return fail("skill_file_unknown", { skill, path, files });
      const bytes = await readWithin(folder, wanted, copy_to === undefined ? FILE_BYTES : COPY_BYTES);
      if (!bytes.ok) return bytes;
      if (copy_to !== undefined) return copyToSession(wanted, bytes.value, copy_to, fileStore, name);
      return ok({ path: wanted, size_bytes: bytes.value.byteLength, ...shown(bytes.value) });
    },
  });
}

async function copyToSession(
  path: string,
  bytes: Uint8Array,
  target: string,
  fileStore: SessionFileStore | undefined,
  tool: string,
) {
  if (!fileStore) return fail("session_required", { tool });
  const written = await fileStore.write(target, bytes);
  return written.ok
    ? ok({ path, size_bytes: bytes.byteLength, copied_to: written.value.stat.path })
    : written;
}

/** Checked again at each read: someone may have put a link there since. */
async function readWithin(folder: string, path: string, limitBytes: number): Promise<Result<Uint8Array>> {
  try {
    const file = join(folder, path);
    const { size } = await lstat(file);
    const real = await realpath(file);
    const inside = real.startsWith(`${await realpath(folder)}${sep}`);
    if (!inside) return fail("path_invalid", { path, why: "it is outside the skill's folder" });
    if (size > limitBytes) return fail("file_too_large", { path, sizeBytes: size, limitBytes });
    const read = await readPlainFile(real, limitBytes);
    return typeof read === "string" ? fail("file_not_found", { path }) : ok(read.bytes);
  } catch {
    return fail("file_not_found", { path });
  }
}

function shown(bytes: Uint8Array): { content: string; encoding: "text" | "base64" } {
  try {
    return { content: new TextDecoder("utf-8", { fatal: true }).decode(bytes), encoding: "text" };
  } catch {
    return { content: Buffer.from(bytes).toString("base64"), encoding: "base64" };
  }
}
