/** Skill folders as packages: an archive with one folder, unpacked and read; nothing in it runs by itself. */
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fail, ok, type Result } from "@capstan/core";
import { type ArchiveFile, readTarGz } from "@capstan/core/internal";
import type { PackageRecord } from "../db/schema/package-record.ts";
import { loadSkill } from "../sources/skill.ts";
import { descriptionOf } from "./document-description.ts";
import { nodeCodec } from "./node-codec.ts";
import type { PackageKindRules } from "./package-kind.ts";
import type { PackageLoader } from "./package-registry.ts";
import { writeFiles } from "./write-files.ts";

export const skillKind: PackageKindRules = {
  async read(bytes) {
    const files = readTarGz(bytes, nodeCodec);
    if (!files.ok) return files;
    const folder = await mkdtemp(join(tmpdir(), "capstan-skill-"));
    try {
      await writeFiles(folder, files.value);
      const skill = await loadSkill(join(folder, topOf(files.value)));
      if (!skill.ok) return skill;
      const unpackedBytes = files.value.reduce((sum, file) => sum + file.bytes.length, 0);
      const description = descriptionOf(skill.value);
      return ok({
        description: { ...description, skills: [skill.value.id] },
        files: files.value.length,
        unpackedBytes,
      });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
  async place({ bytes, folder }) {
    const files = readTarGz(bytes, nodeCodec);
    if (!files.ok) return files;
    await writeFiles(folder, files.value);
    return ok(true);
  },
};

const topOf = (files: readonly ArchiveFile[]) => files[0]?.path.split("/")[0] ?? "";

export function skillLoader(folderOf: (record: PackageRecord) => Promise<Result<string>>): PackageLoader {
  return async (record) => {
    const folder = await folderOf(record);
    if (!folder.ok) return folder;
    const [top] = await readdir(folder.value);
    if (top === undefined) return fail("package_broken", { name: record.name, why: "its folder is empty" });
    const skill = await loadSkill(join(folder.value, top));
    return skill.ok ? ok({ capabilities: [skill.value] }) : skill;
  };
}
