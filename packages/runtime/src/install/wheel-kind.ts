/** Wheels: read strictly, placed in a virtual environment, started by the environment's own Python. */
import { access } from "node:fs/promises";
import { join } from "node:path";
import { fail, ok, type Result } from "@capstan/core";
import { type ArchiveLimits, readWheel, readZip } from "@capstan/core/internal";
import { describePackage } from "./describe-package.ts";
import { nodeCodec } from "./node-codec.ts";
import type { PackageKindRules, PackageReading } from "./package-kind.ts";
import { type Python, placeWheel } from "./python.ts";

export interface WheelKindParts {
  /** Looked for when the first wheel comes, not at start. */
  readonly python: () => Promise<Result<Python>>;
  readonly env: Readonly<Record<string, string>>;
  readonly findLinks: readonly string[];
  readonly limits?: ArchiveLimits | undefined;
}

export function wheelKind(parts: WheelKindParts): PackageKindRules {
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
    async place({ bytes, folder, dependencyLock }) {
      const reading = read(bytes);
      if (!reading.ok) return reading;
      const python = await parts.python();
      if (!python.ok) return python;
      const { name, version, dependencies } = reading.value.description;
      return placeWheel({
        python: python.value,
        env: parts.env,
        fileName: `${name.replaceAll("-", "_")}-${version}-py3-none-any.whl`,
        bytes,
        folder,
        needsDependencies: dependencies.length > 0,
        findLinks: parts.findLinks,
        dependencyLock,
      });
    },
    async commandLine(folder, command) {
      const bin = join(folder, "venv", "bin");
      const script = join(bin, command);
      try {
        await access(script);
        return ok([join(bin, "python"), script]);
      } catch {
        return fail("package_command_missing", { command, has: [] });
      }
    },
  };
}
