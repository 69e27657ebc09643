/**
 * `capstan wrap`: reads the help of a program that was not made for Capstan and proposes a package for it. Nothing is
 * installed here: the answer is files for a person to read, edit and install as any other package.
 */
import { fail, type Manifest, ok, type Result, readManifest } from "@capstan/core";
import { buildNpmTarball, type CommandHelp, proposeManifest, semverOf } from "@capstan/core/internal";
import type { CommandIsolation } from "../commands/command-isolation.ts";
import type { FetchParts } from "./fetch-package.ts";
import { nodeCodec, sha256Hex } from "./node-codec.ts";
import type { PackageKinds } from "./package-kind.ts";
import type { BuiltPackage, PlacedPackages } from "./placed-packages.ts";
import { type HelpReader, readCommandHelp, readVersion } from "./read-command-help.ts";
import { findWrapSource, type WrapSource } from "./wrap-source.ts";
import { type WrapperFile, type WrapperNames, wrapperFiles } from "./wrapper-files.ts";

/** Each costs a start of the program; a command with more is described by its first ones, and the notes say so. */
const MAX_SUBCOMMANDS = 25;

export interface WrapRequest {
  readonly source: string;
  /** The capability's id; the program's name without it. */
  readonly name?: string | undefined;
  /** Which command of an npm package that brings several. */
  readonly command?: string | undefined;
}

export interface WrapProposal {
  readonly name: string;
  readonly package: string;
  readonly version: string;
  /** What was wrapped, in words. */
  readonly origin: string;
  readonly manifest: Manifest;
  readonly files: readonly WrapperFile[];
  /** What the proposal leaves open. */
  readonly notes: readonly string[];
  /** The text it was made from. */
  readonly help: string;
}

export interface WrapParts extends FetchParts {
  readonly kinds: PackageKinds;
  readonly placed: PlacedPackages;
  readonly isolation: CommandIsolation;
  readonly helpTimeoutMs?: number;
}

export async function wrapCommand(request: WrapRequest, parts: WrapParts): Promise<Result<WrapProposal>> {
  const source = await findWrapSource(request, parts);
  if (!source.ok) return source;
  const name = request.name ?? idOf(source.value.program);
  const names = { name, command: `capstan-cli-${name.replaceAll("_", "-")}`, version: "0.0.0" };
  const built = await buildWrapper(source.value, names, parts);
  if (!built.ok) return built;
  try {
    return await propose(source.value, names, built.value, parts);
  } finally {
    await built.value.discard();
  }
}

const idOf = (program: string): string =>
  program
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "")
    .slice(0, 50);

/** The wrapper without a manifest, on disk with what it depends on: its help is read through it, as calls will go. */
async function buildWrapper(
  source: WrapSource,
  names: WrapperNames,
  { kinds, placed }: WrapParts,
): Promise<Result<BuiltPackage>> {
  const files = wrapperFiles(source, names).map(({ path, text }) => ({
    path,
    bytes: new TextEncoder().encode(text),
    executable: path === "start.js",
  }));
  const packed = buildNpmTarball(files, nodeCodec);
  if (!packed.ok) return packed;
  const { bytes } = packed.value;
  const dependencies = await kinds.npm?.resolve?.(bytes);
  if (dependencies && !dependencies.ok) return dependencies;
  return placed.build("npm", sha256Hex(bytes), {
    bytes,
    allowScripts: false,
    dependencyLock: dependencies?.value.lock,
  });
}

async function propose(
  source: WrapSource,
  names: WrapperNames,
  built: BuiltPackage,
  { kinds, isolation, helpTimeoutMs }: WrapParts,
): Promise<Result<WrapProposal>> {
  const line = await kinds.npm?.commandLine?.(built.folder, names.command);
  if (!line?.ok) return line ?? fail("package_command_missing", { command: names.command, has: [] });
  const reader: HelpReader = {
    line: line.value,
    program: source.program,
    isolation,
    timeoutMs: helpTimeoutMs,
  };
  const read = await readCommandHelp(reader);
  if (!read.ok) return read;
  const { help, text } = read.value;
  const version =
    source.starts.kind === "npm" ? source.starts.version : semverOf((await readVersion(reader)) ?? "1.0.0");
  const proposal = proposeManifest({
    ...names,
    ...source,
    version,
    help,
    subcommands: await subcommandHelp(help, reader),
  });
  const manifest = readManifest(proposal.manifest);
  if (!manifest.ok) return manifest;
  const more = help.subcommands.length - MAX_SUBCOMMANDS;
  const notes = more > 0 ? [...proposal.notes, `${more} more subcommands were left out.`] : proposal.notes;
  return ok({
    name: names.name,
    package: names.command,
    version,
    origin: source.origin,
    manifest: manifest.value,
    files: wrapperFiles(source, { ...names, version }, manifest.value),
    notes,
    help: text,
  });
}

async function subcommandHelp({ subcommands }: CommandHelp, reader: HelpReader) {
  const described: { name: string; about: string; help?: CommandHelp }[] = [];
  for (const { name, description } of subcommands.slice(0, MAX_SUBCOMMANDS)) {
    const read = await readCommandHelp(reader, [name]);
    described.push({ name, about: description, ...(read.ok && { help: read.value.help }) });
  }
  return described;
}
