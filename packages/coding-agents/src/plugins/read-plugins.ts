/**
 * Parses the output of the agents' plugin commands: JSON where they have it, lines where they do not.
 *
 * One reader for all, because the shapes are alike: a list of objects with a name or an id, alone or below a known key.
 */
import { z } from "zod";

export interface InstalledPlugin {
  /** What install and uninstall take. */
  readonly name: string;
  readonly version?: string;
  readonly enabled?: boolean;
  /** Where it came from: a marketplace, a path, a package. */
  readonly source?: string;
}

export interface PluginListing {
  readonly name: string;
  readonly description?: string;
  readonly version?: string;
  readonly marketplace?: string;
}

const entry = z.looseObject({
  id: z.string().optional(),
  pluginId: z.string().optional(),
  name: z.string().optional(),
  packageName: z.string().optional(),
  version: z.string().nullish().catch(undefined),
  description: z.string().nullish().catch(undefined),
  summary: z.string().nullish().catch(undefined),
  enabled: z.boolean().nullish().catch(undefined),
  isActive: z.boolean().nullish().catch(undefined),
  status: z.string().nullish().catch(undefined),
  source: z.unknown().optional(),
  marketplace: z.string().nullish().catch(undefined),
  marketplaceName: z.string().nullish().catch(undefined),
  installMetadata: z.looseObject({ source: z.string().optional() }).nullish().catch(undefined),
});
type Entry = z.output<typeof entry>;

/** Installed plugins, or null when the output has no known shape. */
export function readInstalled(output: string): InstalledPlugin[] | null {
  const entries = entriesIn(output, ["installed", "plugins", "npm", "marketplace"]);
  return entries?.map((one) => (typeof one === "string" ? { name: one } : installed(one))) ?? null;
}

/** Available plugins; `query` is matched here, because few commands support one. */
export function readListings(output: string, query: string): PluginListing[] | null {
  const entries = entriesIn(output, ["available", "results", "plugins", "packages", "marketplace"]);
  const wanted = query.trim().toLowerCase();
  return (
    entries
      ?.map((one) => (typeof one === "string" ? { name: one } : listing(one)))
      .filter(({ name, description = "" }: PluginListing) =>
        `${name} ${description}`.toLowerCase().includes(wanted),
      ) ?? null
  );
}

function installed(one: Entry): InstalledPlugin {
  const enabled = one.enabled ?? one.isActive ?? (one.status ? one.status !== "disabled" : undefined);
  const source = one.installMetadata?.source || one.marketplaceName || one.marketplace || textOf(one.source);
  return {
    name: nameOf(one),
    ...(one.version && { version: one.version }),
    ...(typeof enabled === "boolean" && { enabled }),
    ...(source && { source }),
  };
}

function listing(one: Entry): PluginListing {
  const marketplace = one.marketplaceName ?? one.marketplace;
  const description = one.description ?? one.summary;
  return {
    name: nameOf(one),
    ...(description && { description }),
    ...(one.version && { version: one.version }),
    ...(marketplace && { marketplace }),
  };
}

const HASH = /^[0-9a-f]{32,}$/;

/** Ids are what the commands expect, including the marketplace for Claude and Codex; only Gemini's is a hash. */
function nameOf({ pluginId, id, name, packageName, marketplace }: Entry): string {
  if (pluginId) return pluginId;
  if (id && !HASH.test(id)) return id;
  const plain = name ?? packageName ?? id ?? "";
  return marketplace ? `${plain}@${marketplace}` : plain;
}

const textOf = (value: unknown) => (typeof value === "string" ? value : undefined);

function entriesIn(output: string, keys: readonly string[]): (Entry | string)[] | null {
  const json = jsonIn(output);
  if (json === undefined) return linesIn(output);
  const list = Array.isArray(json) ? json : listBelow(json, keys);
  return list?.flatMap((one) => readEntry(one)) ?? null;
}

/** OpenCode lists a plugin as its name, or as its name and options. */
function readEntry(one: unknown): (Entry | string)[] {
  if (typeof one === "string") return [one];
  if (Array.isArray(one)) return typeof one[0] === "string" ? [one[0]] : [];
  const parsed = entry.safeParse(one);
  return parsed.success && nameOf(parsed.data) !== "" ? [parsed.data] : [];
}

function listBelow(json: object, keys: readonly string[]): unknown[] | undefined {
  const values = ["plugin", ...keys]
    .map((key) => (json as Record<string, unknown>)[key])
    .filter(Array.isArray);
  return values.length > 0 ? values.flat() : undefined;
}

/** The first JSON value in the output; CLIs print notices before it. */
function jsonIn(output: string): object | undefined {
  const start = output.search(/^\s*[[{]/m);
  if (start === -1) return undefined;
  try {
    const value: unknown = JSON.parse(output.slice(start));
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * `pi list`: a heading without indentation, then a source per line; deeper lines say where it lies. A path is told from Pi's own
 * folder there, which its commands do not accept.
 */
function linesIn(output: string): string[] | null {
  const lines = output.split("\n").filter((line) => line.trim() !== "");
  if (/^no (packages|plugins|extensions|skills)\b/im.test(output)) return [];
  const named = lines.flatMap((line, index) => {
    if (!/^ {2}\S/.test(line)) return [];
    const name = line.trim().replace(/^[-*•] /, "");
    const below = lines[index + 1]?.trim();
    return [/^\.{1,2}\//.test(name) && below?.startsWith("/") ? below : name];
  });
  return named.length > 0 ? named : null;
}
