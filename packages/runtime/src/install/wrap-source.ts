/**
 * What `capstan wrap` was asked to wrap: a program of the server's system, or an npm package with a command. A name that
 * is both means the program, since `npm:name` can say the other; nothing is run or unpacked to disk here.
 */
import { access, constants, readFile, realpath, stat } from "node:fs/promises";
import { basename, isAbsolute, join } from "node:path";
import { gunzipSync } from "node:zlib";
import { fail, ok, type Result } from "@capstan/core";
import { type ArchiveFile, binOf, readNpmPackage, readTarGz, stripTopFolder } from "@capstan/core/internal";
import { type FetchParts, fromNpm } from "./fetch-package.ts";
import { nodeCodec } from "./node-codec.ts";
import { systemPackageSummary } from "./system-package.ts";

export interface WrapSource {
  /** How people call the program. */
  readonly program: string;
  /** Where it comes from, in words for a person. */
  readonly origin: string;
  readonly starts:
    | { readonly kind: "npm"; readonly package: string; readonly version: string; readonly file: string }
    | { readonly kind: "program"; readonly path: string };
  readonly description?: string | undefined;
  readonly keywords?: readonly string[] | undefined;
}

/** The part of the system that a confined command sees. */
const SYSTEM_FOLDERS = ["/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin", "/sbin"];
const SEEN = /^\/(usr|bin|sbin|lib\w*|nix\/store)\//;

export async function findWrapSource(
  asked: { source: string; command?: string | undefined },
  parts: FetchParts,
): Promise<Result<WrapSource>> {
  const words = asked.source.trim();
  const npmName = /^npm:(.+)$/.exec(words)?.[1];
  if (npmName === undefined) {
    const path = await programPath(words);
    if (path && !path.ok) return path;
    if (path) return ok(await ofProgram(path.value));
  }
  return ofNpm(npmName ?? words, asked.command, parts);
}

/** Undefined when there is no program of that name. */
async function programPath(words: string): Promise<Result<string> | undefined> {
  if (isAbsolute(words)) {
    if (!(await isProgram(words))) return fail("wrap_source_unknown", { source: words });
    return SEEN.test(await realpath(words)) && SEEN.test(words)
      ? ok(words)
      : fail("wrap_program_outside", { path: words });
  }
  if (!/^[\w.+-]+$/.test(words)) return undefined;
  for (const folder of SYSTEM_FOLDERS) {
    if (await isProgram(join(folder, words))) return ok(join(folder, words));
  }
  return undefined;
}

async function isProgram(path: string): Promise<boolean> {
  const about = await stat(path).catch(() => undefined);
  if (!about?.isFile()) return false;
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

async function ofProgram(path: string): Promise<WrapSource> {
  const program = basename(path);
  return {
    program,
    origin: `the program ${path}`,
    starts: { kind: "program", path },
    description: (await manPageSummary(program)) ?? (await systemPackageSummary(path)),
  };
}

/** `jq - Command-line JSON processor`, of the manual page's NAME section; undefined where there is none. */
async function manPageSummary(program: string): Promise<string | undefined> {
  for (const section of ["1", "8"]) {
    const path = join("/usr/share/man", `man${section}`, `${program}.${section}.gz`);
    const bytes = await readFile(path).catch(() => undefined);
    if (bytes) return summaryInPage(gunzipSync(bytes, { maxOutputLength: 8_000_000 }).toString("utf8"));
  }
  return undefined;
}

export function summaryInPage(page: string): string | undefined {
  const [, name = ""] = /^\.S[Hh] "?NAME"?\s*\n([\s\S]*?)(?=\n\.S[Hh]|$)/m.exec(page) ?? [];
  const plain = name
    .replaceAll(/^\.\\".*$/gm, "")
    .replaceAll(/^\.[A-Za-z]+ ?/gm, "")
    .replaceAll(/\\f[A-Z]|\\\||\\&/g, "")
    .replaceAll("\\(en", "-")
    .replaceAll("\\-", "-")
    .replaceAll(/\s+/g, " ")
    .trim();
  const summary = plain.split(/ -{1,2} /)[1]?.trim();
  return summary ? summary.charAt(0).toUpperCase() + summary.slice(1) : undefined;
}

async function ofNpm(
  name: string,
  command: string | undefined,
  parts: FetchParts,
): Promise<Result<WrapSource>> {
  const archive = await fromNpm(name, parts);
  if (!archive.ok) return archive;
  const files = readTarGz(archive.value.bytes, nodeCodec);
  if (!files.ok) return files;
  const inside = stripTopFolder(files.value);
  const read = readNpmPackage(inside);
  if (!read.ok) return read;
  const { json } = read.value;
  const bins = binOf(json);
  const short = json.name.replace(/^@[^/]+\//, "");
  const program = command ?? (short in bins ? short : (Object.keys(bins)[0] ?? ""));
  const file = bins[program]?.replace(/^\.\//, "");
  if (file === undefined)
    return fail("package_command_missing", { command: program || short, has: Object.keys(bins) });
  if (!isNodeProgram(inside, file))
    return fail("archive_refused", { why: `its command ${program} is not a Node program` });
  const { description, keywords } = json as { description?: unknown; keywords?: unknown };
  return ok({
    program,
    origin: `the npm package ${json.name} ${json.version}`,
    starts: { kind: "npm", package: json.name, version: json.version, file },
    description: typeof description === "string" && description !== "" ? description : undefined,
    keywords: Array.isArray(keywords)
      ? keywords.filter((each) => typeof each === "string" && each !== "")
      : undefined,
  });
}

function isNodeProgram(files: readonly ArchiveFile[], path: string): boolean {
  if (/\.[cm]?js$/.test(path)) return true;
  const bytes = files.find((file) => file.path === path || file.path === `${path}.js`)?.bytes;
  return /^#!.*\bnode\b/.test(new TextDecoder().decode(bytes?.slice(0, 200)));
}
