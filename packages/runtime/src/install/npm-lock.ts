/**
 * What the lock file of npm may contain. Every entry is a version in a registry, with its name, version, address and SHA-512,
 * or lies inside the archive of such an entry. Anything else is refused by name. What a dependency itself could write
 * into the lock is refused as a whole: its own lock file chooses addresses and hashes freely.
 */
import { fail, ok, type Result } from "@capstan/core";
import { z } from "zod";
import type { ResolvedDependencies, ResolvedDependency } from "./package-kind.ts";

/** A range or a tag of a registry, or an alias of another package there. */
const RANGE = /^(npm:(@[\w.-]+\/)?[\w.-]+(@|$))?[\w\s.^~<>=|*+-]*$/;
const NAME = String.raw`(?:@[\w.~-]+\/)?[\w.~-]+`;
const WHOLE_NAME = new RegExp(`^${NAME}$`);
const PATH = new RegExp(`^node_modules/${NAME}(?:/node_modules/${NAME})*$`);
const VERSION = /^\d+\.\d+\.\d+(-[\w.-]+)?(\+[\w.-]+)?$/;
const SHA512 = /^sha512-[A-Za-z0-9+/]{86}==$/;

export const Ranges = z.record(z.string(), z.string()).optional();
const Entry = z.looseObject({
  name: z.string().optional(),
  version: z.string().optional(),
  resolved: z.string().optional(),
  integrity: z.string().optional(),
  link: z.boolean().optional(),
  inBundle: z.boolean().optional(),
  hasShrinkwrap: z.boolean().optional(),
  dependencies: Ranges,
  optionalDependencies: Ranges,
  peerDependencies: Ranges,
  peerDependenciesMeta: z.record(z.string(), z.looseObject({ optional: z.boolean().optional() })).optional(),
});
type Entry = z.infer<typeof Entry>;
const Lock = z.looseObject({ lockfileVersion: z.number(), packages: z.record(z.string(), Entry) });

/** The first of these that is not a version in a registry, as the end of a sentence. */
export function notInRegistry(ranges: readonly (readonly [string, string])[]): string | undefined {
  const wrong = ranges.find(([, range]) => !RANGE.test(range));
  return wrong && `depends on ${wrong[0]} by "${wrong[1]}", which is not a version in a registry`;
}

export function readNpmLock(text: string): Result<ResolvedDependencies> {
  const lock = Lock.safeParse(JSON.parse(text));
  if (!lock.success) return fail("archive_refused", { why: "npm wrote an unreadable lock file" });
  const { packages } = lock.data;
  const list = new Map<string, ResolvedDependency>(); // two places for the same bytes are one line of the review
  for (const [path, entry] of Object.entries(packages)) {
    const wrong = notInRegistry(rangesOf(entry));
    const from = path === "" ? "it" : `its dependency ${nameIn(path)}`;
    if (wrong) return fail("archive_refused", { why: `${from} ${wrong}` });
    if (path === "") continue;
    const one = readEntry(path, entry, packages);
    if (!one.ok) return one;
    list.set(JSON.stringify(one.value), one.value);
  }
  return ok({ lock: text, list: [...list.values()] });
}

function readEntry(
  path: string,
  entry: Entry,
  packages: Readonly<Record<string, Entry>>,
): Result<ResolvedDependency> {
  const outer = entry.inBundle ? archiveAround(path, packages) : "";
  const around = packages[outer];
  const inside = outer !== "" && around ? { path: outer, entry: around } : undefined;
  const why = whyNotNamed(path, entry) ?? (inside ? whyNotInside(entry) : whyNotFromRegistry(path, entry));
  return why
    ? fail("dependency_refused", { dependency: titleOf(path, entry), why })
    : ok(lineOf(path, entry, inside));
}

/** An optional peer is installed only when something else depends on it, by a range of its own. */
function rangesOf(entry: Entry): [string, string][] {
  const { dependencies, optionalDependencies, peerDependencies = {}, peerDependenciesMeta = {} } = entry;
  const peers = Object.entries(peerDependencies).filter(([name]) => !peerDependenciesMeta[name]?.optional);
  return [...Object.entries(dependencies ?? {}), ...Object.entries(optionalDependencies ?? {}), ...peers];
}

function whyNotNamed(path: string, entry: Entry): string | undefined {
  if (!PATH.test(path) || !WHOLE_NAME.test(realName(path, entry))) return "its name is not one of a registry";
  if (!VERSION.test(entry.version ?? "")) return "it has no exact version";
  if (entry.hasShrinkwrap)
    return "it has its own lock file (npm-shrinkwrap.json), which may name any address and hash for what it brings";
  return undefined;
}

function whyNotInside({ resolved, integrity, link }: Entry): string | undefined {
  if (resolved === undefined && integrity === undefined && !link) return undefined;
  return "it lies in the archive of another package and names an address or a hash of its own";
}

function whyNotFromRegistry(path: string, { link, resolved = "", ...entry }: Entry): string | undefined {
  if (link || !/^https?:\/\//.test(resolved) || !URL.canParse(resolved))
    return "it does not come from a registry";
  const version = entry.version ?? "";
  if (!isAddressOf(new URL(resolved), realName(path, entry), version))
    return `${resolved} is not the registry's address for it`;
  return SHA512.test(entry.integrity ?? "") ? undefined : "the registry has no SHA-512 for it";
}

/** `…/left/-/left-1.0.0.tgz` as most registries have it, or with name and version as parts of the path. */
function isAddressOf({ pathname }: URL, name: string, version: string): boolean {
  const parts = decoded(pathname).split("/");
  const [base = "", scope] = name.split("/").reverse();
  if (parts.at(-1) === `${base}-${version}.tgz`) return true;
  const at = parts.indexOf(version);
  return at > 0 && parts[at - 1] === base && (scope === undefined || parts[at - 2] === scope);
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** The closest package around a bundled one that has its own archive; empty if there is none. */
function archiveAround(path: string, packages: Readonly<Record<string, Entry>>): string {
  const outer = path.slice(0, Math.max(0, path.lastIndexOf("/node_modules/")));
  return outer !== "" && packages[outer]?.inBundle ? archiveAround(outer, packages) : outer;
}

function lineOf(
  path: string,
  entry: Entry,
  around: { readonly path: string; readonly entry: Entry } | undefined,
): ResolvedDependency {
  const name = realName(path, entry);
  return {
    name,
    version: entry.version ?? "",
    hash: (around?.entry ?? entry).integrity ?? "",
    ...(name !== nameIn(path) && { installed_as: nameIn(path) }),
    ...(around && { inside: titleOf(around.path, around.entry) }),
  };
}

/** npm writes a name into the entry when it differs from the folder: then the folder is an alias. */
const realName = (path: string, { name }: Pick<Entry, "name">): string => name ?? nameIn(path);

const titleOf = (path: string, entry: Entry): string => {
  const name = realName(path, entry);
  const as = name === nameIn(path) ? "" : ` (as ${nameIn(path)})`;
  return `${name} ${entry.version ?? "without a version"}${as}`;
};

const nameIn = (path: string): string =>
  path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
