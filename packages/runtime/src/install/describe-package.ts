/** Builds what a person reviews from an archive's metadata. Names and commands are validated here. */
import { fail, type Manifest, ok, type Result, readManifest } from "@capstan/core";
import {
  flowOf,
  manifestNeeds,
  type PackageContents,
  readPackageName,
  unusedFields,
} from "@capstan/core/internal";
import type { PackageDescription } from "../db/schema/package-record.ts";
import { manifestTools } from "../sources/manifest-tools.ts";

export function describePackage(contents: PackageContents): Result<PackageDescription> {
  const named = readPackageName(contents.name);
  if (!named) return fail("package_name_invalid", { name: contents.name });
  const base: PackageDescription = {
    name: named.full,
    version: contents.version,
    role: named.role,
    tools: [],
    scopes: [],
    commands: contents.commands,
    dependencies: contents.dependencies,
    install_scripts: contents.installScripts,
    skills: [],
    must_run_code: true,
  };
  if (contents.manifestText === undefined) {
    return contents.commands.length > 0
      ? ok(base)
      : fail("package_command_missing", { command: named.full, has: [] });
  }
  const manifest = readManifest(contents.manifestText);
  if (!manifest.ok) return manifest;
  const unused = unusedFields(JSON.parse(contents.manifestText));
  return withManifest(unused.length > 0 ? { ...base, unused_fields: unused } : base, manifest.value);
}

/** The command must be part of the package: a manifest cannot point at system programs. */
export function withManifest(base: PackageDescription, manifest: Manifest): Result<PackageDescription> {
  if (!base.commands.includes(manifest.command)) {
    return fail("package_command_missing", { command: manifest.command, has: base.commands });
  }
  const tools = manifestTools(manifest).map((tool) => {
    const { reads, writes } = flowOf(tool);
    return { name: tool.name, description: tool.description, scopes: tool.scopes, reads, writes };
  });
  const scopes = [...(manifest.required_scopes ?? []), ...tools.flatMap((tool) => tool.scopes)];
  const { service } = manifest;
  const connections = manifestNeeds(manifest);
  return ok({
    ...base,
    role: service ? "rt" : base.role,
    capability: manifest.name,
    summary: manifest.description,
    tools,
    scopes: [...new Set(scopes)].sort(),
    skills: (manifest.bundled_skills ?? []).map(({ name }) => name),
    ...(connections.length > 0 && { connections }),
    ...(service && { service: servicePart(service) }),
    must_run_code: false,
    manifest,
  });
}

function servicePart({ container, port, health_endpoint }: NonNullable<Manifest["service"]>) {
  return {
    container,
    ...(port !== undefined && { port }),
    ...(health_endpoint !== undefined && { health_endpoint }),
  };
}
