/**
 * Packages on this machine's disk, by the hash of their archive. Each is built in a uniquely named folder and
 * then published by a link, atomically: a process that dies while building leaves nothing that another would use.
 */
import { randomUUID } from "node:crypto";
import { lstat, mkdir, readdir, readlink, realpath, rename, rm, stat, symlink } from "node:fs/promises";
import { join } from "node:path";
import { fail, ok, type Result } from "@capstan/core";
import type { CommandLine } from "../commands/command-line.ts";
import { letOthersRead, makePassage } from "../commands/open-to-others.ts";
import type { PackageKind, PackageRecord } from "../db/schema/package-record.ts";
import { sha256Hex } from "./node-codec.ts";
import type { PackageKinds, PlaceRequest } from "./package-kind.ts";
import type { PackageStore } from "./package-store.ts";

const ABANDONED_MS = 60 * 60 * 1000; // longer than any installation may take

export interface BuiltPackage {
  readonly folder: string;
  /** Makes it the active one for this hash. */
  publish(): Promise<void>;
  discard(): Promise<void>;
}

export class PlacedPackages {
  readonly #root: string;
  readonly #kinds: PackageKinds;
  readonly #store: PackageStore;
  readonly #underWay = new Map<string, Promise<Result<string>>>();

  constructor(root: string, kinds: PackageKinds, store: PackageStore) {
    this.#root = root;
    this.#kinds = kinds;
    this.#store = store;
  }

  async build(
    kind: PackageKind,
    sha256: string,
    request: Omit<PlaceRequest, "folder">,
  ): Promise<Result<BuiltPackage>> {
    const rules = this.#kinds[kind];
    if (!rules) return notAvailable(kind);
    const name = `${sha256}.${randomUUID()}`;
    const folder = join(this.#root, name);
    const discard = () => rm(folder, { recursive: true, force: true });
    await makePassage(this.#root);
    await mkdir(folder);
    const placed = await rules.place({ ...request, folder }).catch(async (error: unknown) => {
      await discard();
      throw error;
    });
    if (!placed.ok) {
      await discard();
      return placed;
    }
    await letOthersRead(folder);
    return ok({ folder, discard, publish: () => this.#publish(sha256, name) });
  }

  /** The folder of an installed package; unpacked from the store if this machine does not have it yet. */
  folderOf(record: PackageRecord): Promise<Result<string>> {
    const running = this.#underWay.get(record.sha256);
    if (running) return running;
    const placing = this.#folderOf(record).finally(() => this.#underWay.delete(record.sha256));
    this.#underWay.set(record.sha256, placing);
    return placing;
  }

  async commandLine(record: PackageRecord, command: string): Promise<Result<CommandLine>> {
    const folder = await this.folderOf(record);
    if (!folder.ok) return folder;
    const rules = this.#kinds[record.kind];
    // The folder itself, not the link to it: scripts written by pip contain the folder's path.
    return rules?.commandLine
      ? rules.commandLine(await realpath(folder.value), command)
      : notAvailable(record.kind);
  }

  async remove(sha256: string): Promise<void> {
    const names = await readdir(this.#root).catch(() => []);
    const own = names.filter((name) => name === sha256 || name.startsWith(`${sha256}.`));
    await Promise.all(own.map((name) => rm(join(this.#root, name), { recursive: true, force: true })));
  }

  /** Removes half-built packages of dead processes, and those no longer installed. */
  async sweep(nowMs: number): Promise<void> {
    const installed = await this.#store.hashes();
    const names = await readdir(this.#root).catch(() => []);
    const used = new Set(
      await Promise.all(names.map((name) => readlink(join(this.#root, name)).catch(() => ""))),
    );
    for (const name of names) {
      const path = join(this.#root, name);
      const about = await lstat(path).catch(() => undefined);
      const isKept = about?.isSymbolicLink()
        ? installed.has(name)
        : used.has(name) && installed.has(name.split(".")[0] ?? "");
      if (about && !isKept && nowMs - about.mtimeMs > ABANDONED_MS)
        await rm(path, { recursive: true, force: true });
    }
  }

  async #folderOf(record: PackageRecord): Promise<Result<string>> {
    const link = join(this.#root, record.sha256);
    if (await stat(link).catch(() => undefined)) return ok(link);
    const bytes = await this.#store.archive(record.sha256);
    if (!bytes) return fail("package_broken", { name: record.name, why: "its archive is not in the store" });
    const actual = sha256Hex(bytes);
    if (actual !== record.sha256) {
      return fail("package_hash_changed", {
        name: record.name,
        version: record.version,
        expected: record.sha256,
        actual,
      });
    }
    const built = await this.build(record.kind, record.sha256, {
      bytes,
      allowScripts: record.allow_scripts,
      dependencyLock: record.dependency_lock,
    });
    if (!built.ok) return built;
    await built.value.publish();
    return ok(link);
  }

  async #publish(sha256: string, name: string): Promise<void> {
    const link = join(this.#root, sha256);
    const before = await readlink(link).catch(() => undefined);
    const partial = join(this.#root, `.link-${randomUUID()}`);
    await symlink(name, partial);
    await rename(partial, link);
    if (before && before !== name) await rm(join(this.#root, before), { recursive: true, force: true });
  }
}

const notAvailable = (kind: string) =>
  fail("not_available", {
    what: `Installing packages of the kind "${kind}"`,
    why: "this server does not support its type",
    nextStep: "Use a wheel, an npm package or a folder.",
  });
