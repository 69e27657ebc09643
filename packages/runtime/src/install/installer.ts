/**
 * Review, install, update, uninstall. Nothing is installed that was not reviewed by its hash, and a refusal
 * leaves nothing on disk. Each kind of package is in its own file; this one only knows the steps.
 */
import { fail, ok, type Result } from "@capstan/core";
import type { BrokenAgent } from "../agents/broken-agents.ts";
import type { CommandIsolation } from "../commands/command-isolation.ts";
import type { PackageDescription, PackageRecord } from "../db/schema/package-record.ts";
import { reviewOf } from "./create-review.ts";
import { describeByHelp } from "./describe-by-help.ts";
import { withManifest } from "./describe-package.ts";
import { type FetchParts, fetchPackage, type PackageArchive, type PackageSource } from "./fetch-package.ts";
import { withFreeName } from "./free-name.ts";
import { needsReview } from "./linked-update.ts";
import { readLock, writePin } from "./lock-file.ts";
import { sha256Hex } from "./node-codec.ts";
import {
  keepingOf,
  type PackageKinds,
  type PackageReading,
  type ResolvedDependencies,
} from "./package-kind.ts";
import type { PackageReview } from "./package-review.ts";
import type { PackageStore } from "./package-store.ts";
import type { BuiltPackage, PlacedPackages } from "./placed-packages.ts";

export interface InstallerParts extends FetchParts {
  readonly store: PackageStore;
  readonly placed: PlacedPackages;
  readonly kinds: PackageKinds;
  readonly isolation: CommandIsolation;
  readonly lockPath: string;
  /** The other package that owns a capability id; undefined = none. */
  readonly ownerOf: (capability: string, packageName: string) => string | undefined;
  /** Refuses what would break agents; if forced, returns the agents that break. */
  readonly checkUpdate?: CheckUpdate | undefined;
  readonly now: () => Date;
  readonly helpTimeoutMs?: number;
}

export type CheckUpdate = (
  candidate: CandidatePackage,
  options: { readonly force: boolean },
) => Promise<Result<readonly BrokenAgent[]>>;

/** A package that is about to replace another one, or to be added. */
export interface CandidatePackage {
  readonly record: PackageRecord;
  readonly bytes: Uint8Array;
  readonly folder: string;
}

export interface InstallOptions {
  readonly user: string;
  /** The reviewed hash, or true to accept any review (`--yes`). */
  readonly accept?: string | true | undefined;
  /** Installs it although agents break. */
  readonly force?: boolean | undefined;
  /** Allows running code of the package so that it can describe itself. */
  readonly runToDescribe?: boolean | undefined;
  readonly allowScripts?: boolean | undefined;
  /** Watches the folder that it is installed from. */
  readonly link?: boolean | undefined;
  /** The reviewed hash of the dependency list; required with a hash in `accept` when there are any. */
  readonly acceptDependencies?: string | undefined;
  /** Aborted before the package is stored, nothing is installed. */
  readonly signal?: AbortSignal | undefined;
}

export interface ReviewOptions {
  /** Who reviews it. */
  readonly user?: string | undefined;
  readonly runToDescribe?: boolean | undefined;
  /** False: skips asking the registry for dependencies, which takes seconds and the network. */
  readonly resolve?: boolean | undefined;
}

export interface Installed {
  readonly record: PackageRecord;
  readonly review: PackageReview;
  /** Agents that it breaks; only by force. */
  readonly broken: readonly BrokenAgent[];
}

export interface Installer {
  review(source: PackageSource, options?: ReviewOptions): Promise<Result<PackageReview>>;
  install(source: PackageSource, options: InstallOptions): Promise<Result<Installed>>;
  /** A linked package, again from its folder; undefined = unchanged. Refused where the review would ask for more than before. */
  update(before: PackageRecord): Promise<Result<PackageRecord | undefined>>;
  /** Removes the package from the store, the lock and the disk; returns what it was. */
  uninstall(name: string): Promise<Result<PackageRecord>>;
}

export function createInstaller(parts: InstallerParts): Installer {
  return {
    async review(source, { user = "", runToDescribe = false, resolve = true } = {}) {
      const prepared = await prepare(source, { user, runToDescribe, resolve }, parts);
      if (!prepared.ok) return prepared;
      await prepared.value.built?.discard();
      return ok(prepared.value.review);
    },
    async install(source, options) {
      const prepared = await prepare(source, { ...options, resolve: true }, parts);
      if (!prepared.ok) return prepared;
      const completed = await complete(prepared.value, options, parts);
      if (!completed.ok) await prepared.value.built?.discard();
      return completed;
    },
    async update(before) {
      const prepared = await prepare({ source: before.origin }, { user: before.installed_by }, parts);
      if (!prepared.ok) return prepared;
      const { sha256, description, review } = prepared.value;
      if (sha256 === before.sha256) return ok(undefined);
      const why = needsReview(review, description, before);
      if (why !== undefined)
        return fail("package_link_waits", { name: before.name, folder: before.origin, why });
      const options = {
        user: before.installed_by,
        accept: sha256,
        allowScripts: before.allow_scripts,
        link: true,
      };
      const dependencies = { lock: before.dependency_lock ?? "", list: [] };
      const completed = await complete({ ...prepared.value, dependencies }, options, parts);
      return completed.ok ? ok(completed.value.record) : completed;
    },
    async uninstall(name) {
      const record = await parts.store.get(name);
      if (!record) return fail("not_found", { what: "package", id: name });
      const before = await parts.store.hashes();
      await parts.store.remove(name);
      const unpinned = await writePin(parts.lockPath, name, undefined);
      await removeUnused(before, parts);
      return unpinned.ok ? ok(record) : unpinned;
    },
  };
}

interface Prepared {
  readonly archive: PackageArchive;
  readonly sha256: string;
  readonly description: PackageDescription;
  readonly review: PackageReview;
  readonly dependencies: ResolvedDependencies;
  readonly before: PackageRecord | undefined;
  /** Already on disk, because it had to run to describe itself. */
  readonly built: BuiltPackage | undefined;
}

async function prepare(
  source: PackageSource,
  options: InstallOptions & Omit<ReviewOptions, "user">,
  parts: InstallerParts,
): Promise<Result<Prepared>> {
  const fetched = await fetchPackage(source, parts);
  if (!fetched.ok) return fetched;
  const archive = ok(withFreeName(fetched.value, parts.ownerOf));
  const rules = parts.kinds[archive.value.kind];
  if (!rules) return fail("package_source_unknown", { source: source.source });
  const reading = await rules.read(archive.value.bytes);
  if (!reading.ok) return reading;
  const sha256 = sha256Hex(archive.value.bytes);
  const before = await parts.store.get(reading.value.description.name);
  const unchanged = await checkHash(reading.value.description, sha256, before, {
    ...archive.value,
    ...parts,
  });
  if (!unchanged.ok) return unchanged;
  const resolved = (options.resolve && (await rules.resolve?.(archive.value.bytes))) || ok(NO_DEPENDENCIES);
  if (!resolved.ok) return resolved;
  const dependencies = resolved.value;
  const described = await describe(
    reading.value,
    archive.value,
    sha256,
    { ...options, lock: dependencies.lock },
    parts,
  );
  if (!described.ok) return described;
  const { description, built } = described.value;
  const owner = description.capability && parts.ownerOf(description.capability, description.name);
  if (owner) {
    await built?.discard();
    return fail("package_conflict", { capability: description.capability ?? "", owner });
  }
  const review = reviewOf(
    { ...reading.value, description, dependencies },
    archive.value,
    sha256,
    before,
    parts,
  );
  return ok({ archive: archive.value, sha256, description, review, dependencies, before, built });
}

const NO_DEPENDENCIES: ResolvedDependencies = { lock: "", list: [] };

/** A version must always have the same bytes, whether the lock or the store recorded it. */
async function checkHash(
  { name, version }: PackageDescription,
  actual: string,
  before: PackageRecord | undefined,
  {
    isFolder,
    origin,
    lockPath,
    store,
  }: Pick<PackageArchive, "isFolder" | "origin"> & Pick<InstallerParts, "lockPath" | "store">,
): Promise<Result<true>> {
  // A folder is under development: its author reinstalls it without a new version.
  if (isFolder && before?.origin === origin) return ok(true);
  const lock = await readLock(lockPath);
  if (!lock.ok) return lock;
  for (const known of [lock.value[name], before, ...(await store.earlier(name))]) {
    if (known?.version === version && known.sha256 !== actual) {
      return fail("package_hash_changed", { name, version, expected: known.sha256, actual });
    }
  }
  return ok(true);
}

async function describe(
  { description }: PackageReading,
  archive: PackageArchive,
  sha256: string,
  options: InstallOptions & { lock: string },
  parts: InstallerParts,
): Promise<Result<{ description: PackageDescription; built?: BuiltPackage }>> {
  if (!description.must_run_code || !options.runToDescribe) return ok({ description });
  const { kind, bytes } = archive;
  const byRunning = parts.kinds[kind]?.describe;
  if (byRunning) {
    const described = await byRunning(bytes, description, options.user);
    return described.ok ? ok({ description: described.value }) : described;
  }
  const built = await parts.placed.build(kind, sha256, {
    bytes,
    allowScripts: options.allowScripts ?? false,
    dependencyLock: options.lock,
  });
  if (!built.ok) return built;
  const complete = await describeBuilt(description, kind, built.value, parts);
  if (complete.ok) return ok({ description: complete.value, built: built.value });
  await built.value.discard();
  return complete;
}

/** The command named like the package describes it; otherwise its first. */
async function describeBuilt(
  description: PackageDescription,
  kind: PackageArchive["kind"],
  built: BuiltPackage,
  parts: InstallerParts,
): Promise<Result<PackageDescription>> {
  const { name, commands } = description;
  const command = commands.find((each) => each === name) ?? commands[0] ?? name;
  const argv = await parts.kinds[kind]?.commandLine?.(built.folder, command);
  if (!argv?.ok) return argv ?? fail("package_command_missing", { command, has: commands });
  const manifest = await describeByHelp(argv.value, parts.isolation, parts.helpTimeoutMs);
  return manifest.ok ? withManifest(description, manifest.value) : manifest;
}

async function complete(
  prepared: Prepared,
  options: InstallOptions,
  parts: InstallerParts,
): Promise<Result<Installed>> {
  const { archive, sha256, description, review, before } = prepared;
  const allowed = checkAllowed(prepared, options);
  if (!allowed.ok) return allowed;
  const allowScripts = options.allowScripts ?? false;
  const { kind, bytes, origin } = archive;
  const built = prepared.built
    ? ok(prepared.built)
    : await parts.placed.build(kind, sha256, {
        bytes,
        allowScripts,
        dependencyLock: prepared.dependencies.lock,
      });
  if (!built.ok) return built;
  const { folder } = built.value;
  const wanted = stillWanted(options, await checkCommand(description, kind, folder, parts));
  if (!wanted.ok) {
    await built.value.discard();
    return wanted;
  }
  const record = recordOf(prepared, options, parts.now());
  const broken = await checkUpdate(
    { record, bytes, folder },
    { isUpdate: before !== undefined, options },
    parts,
  );
  if (!broken.ok) {
    await built.value.discard();
    return broken;
  }
  const hashes = await parts.store.hashes();
  await parts.store.put(record, bytes, keepingOf(parts.kinds));
  await built.value.publish();
  const pinned = await writePin(parts.lockPath, record.name, {
    kind,
    version: record.version,
    sha256,
    origin,
  });
  if (!pinned.ok) return pinned;
  await removeUnused(hashes, parts);
  return ok({ record, review, broken: broken.value });
}

/** The client may have disconnected during the build. */
const stillWanted = <T>({ signal }: InstallOptions, checked: Result<T>): Result<T> =>
  signal?.aborted ? fail("cancelled", { what: "The install" }) : checked;

/** A first installation breaks no agent, so its capability need not be read, which could mean running it. */
async function checkUpdate(
  candidate: CandidatePackage,
  { isUpdate, options }: { readonly isUpdate: boolean; readonly options: InstallOptions },
  { kinds, checkUpdate: check }: InstallerParts,
): Promise<Result<readonly BrokenAgent[]>> {
  const mustRun = kinds[candidate.record.kind]?.describe !== undefined;
  if (!check || (mustRun && !isUpdate)) return ok([]);
  return check(candidate, { force: options.force ?? false });
}

function checkAllowed({ archive, description, review }: Prepared, options: InstallOptions): Result<true> {
  if (description.must_run_code) return fail("package_must_run_code", { name: description.name });
  if (!isAccepted(review, options)) return fail("package_review_needed", { review });
  if (options.link && !archive.isFolder) return fail("package_link_folder", { source: archive.origin });
  return ok(true);
}

function recordOf(
  { archive, sha256, description, dependencies: { lock }, before }: Prepared,
  { link, allowScripts = false, user }: InstallOptions,
  now: Date,
): PackageRecord {
  const { kind, bytes, origin } = archive;
  // A linked package is read from its own folder, which may lie inside its service's.
  const serviceFolder = archive.serviceFolder ?? (link ? before?.service_folder : undefined);
  return {
    name: description.name,
    kind,
    version: description.version,
    sha256,
    size_bytes: bytes.length,
    origin,
    ...(serviceFolder && { service_folder: serviceFolder }),
    description,
    allow_scripts: allowScripts,
    ...(link && { linked: true }),
    ...(lock && { dependency_lock: lock }),
    installed_by: user,
    installed_at: now.toISOString(),
  };
}

/** A first installation requires consent to its hash; an update only when rights grow. */
function isAccepted(review: PackageReview, { accept, acceptDependencies }: InstallOptions): boolean {
  if (accept === true) return true;
  if (accept === review.sha256) return acceptDependencies === review.dependencies_sha256;
  return accept === undefined && review.update?.permissions?.grows === false;
}

async function checkCommand(
  { manifest }: PackageDescription,
  kind: PackageArchive["kind"],
  folder: string,
  { kinds }: InstallerParts,
): Promise<Result<true>> {
  if (!manifest) return ok(true);
  const argv = await kinds[kind]?.commandLine?.(folder, manifest.command);
  return !argv || argv.ok ? ok(true) : argv;
}

/** `before`: what was installed or kept before the change. */
async function removeUnused(before: ReadonlySet<string>, { store, placed }: InstallerParts): Promise<void> {
  const used = await store.hashes();
  for (const sha256 of before) if (!used.has(sha256)) await placed.remove(sha256);
}
