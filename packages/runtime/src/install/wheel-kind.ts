/** Wheels: parsed strictly, installed in a virtual environment, started by its own Python. */
import { access } from "node:fs/promises";
import { join } from "node:path";
import { fail, ok, type Result } from "@capstan/core";
import { type ArchiveLimits, readWheel, readZip } from "@capstan/core/internal";
import type { CommandIsolation } from "../commands/command-isolation.ts";
import { describePackage } from "./describe-package.ts";
import { nodeCodec } from "./node-codec.ts";
import type { PackageKindRules, PackageReading } from "./package-kind.ts";
import { type Python, pythonFiles } from "./python.ts";
import { placeWheel, resolveWheel } from "./wheel-dependencies.ts";

export interface WheelKindParts {
  /** Python is searched when the first wheel arrives, not at startup. */
  readonly python: () => Promise<Result<Python>>;
  readonly isolation: CommandIsolation;
  readonly findLinks: readonly string[];
  readonly limits?: ArchiveLimits | undefined;
}

export function wheelKind(parts: WheelKindParts): PackageKindRules {
  const { isolation, findLinks } = parts;
  const read = (bytes: Uint8Array): Result<PackageReading> => {
    const files = readZip(bytes, nodeCodec, parts.limits);
    if (!files.ok) return files;
    const contents = readWheel(files.value, nodeCodec);
    if (!contents.ok) return contents;
    const description = describePackage(contents.value);
    if (!description.ok) return description;
    const unpackedBytes = files.value.reduce((sum, file) => sum + file.bytes.length, 0);
    return ok({ description: description.value, files: files.value.length, unpackedBytes });
  };
  return {
    read,
    async resolve(bytes) {
      const reading = read(bytes);
      if (!reading.ok) return reading;
      if (reading.value.description.dependencies.length === 0) return ok({ lock: "", list: [] });
      const python = await parts.python();
      if (!python.ok) return python;
      return resolveWheel(wheelFile(reading.value, bytes), { python: python.value, isolation, findLinks });
    },
    async place({ bytes, folder, dependencyLock }) {
      const reading = read(bytes);
      if (!reading.ok) return reading;
      const python = await parts.python();
      if (!python.ok) return python;
      const wheel = wheelFile(reading.value, bytes);
      return placeWheel(wheel, { folder, dependencyLock }, { python: python.value, isolation, findLinks });
    },
    async commandLine(folder, command) {
      const bin = join(folder, "venv", "bin");
      const script = join(bin, command);
      try {
        await access(script);
      } catch {
        return fail("package_command_missing", { command, has: [] });
      }
      const readable = [folder, ...(await pythonFiles(join(folder, "venv")))];
      return ok({ argv: [join(bin, "python"), script], readable });
    },
  };
}

/** pip reads name and version from the file's name. */
function wheelFile({ description }: PackageReading, bytes: Uint8Array) {
  const { name, version } = description;
  return { fileName: `${name.replaceAll("-", "_")}-${version}-py3-none-any.whl`, bytes };
}
