/**
 * The names of MCP servers in a client's file often equal a capability of this server: "memory", "fetch". Such a name
 * gets the suffix "-mcp", so that the file installs unchanged. Other packages keep their names: their manifests can
 * be edited.
 */
import type { PackageArchive } from "./fetch-package.ts";

type OwnerOf = (capability: string, packageName: string) => string | undefined;

export function withFreeName(archive: PackageArchive, ownerOf: OwnerOf): PackageArchive {
  if (archive.kind !== "mcp") return archive;
  const declaration = declarationIn(archive.bytes);
  const name = declaration?.name;
  if (typeof name !== "string" || !isTaken(name, ownerOf)) return archive;
  return {
    ...archive,
    bytes: new TextEncoder().encode(`${JSON.stringify({ ...declaration, name: `${name}-mcp` }, null, 2)}\n`),
  };
}

/** Ids of capabilities have "_" where names have "-". */
const isTaken = (name: string, ownerOf: OwnerOf): boolean =>
  [name, name.replaceAll("-", "_")].some((id) => ownerOf(id, id) !== undefined);

function declarationIn(bytes: Uint8Array): Readonly<Record<string, unknown>> | undefined {
  try {
    return JSON.parse(new TextDecoder().decode(bytes)) as Record<string, unknown>;
  } catch {
    return undefined; // reading it later reports what is wrong
  }
}
