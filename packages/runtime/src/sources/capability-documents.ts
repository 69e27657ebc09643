/**
 * Capabilities given as documents: saved over the API (in Postgres, for every process) or put into the data folder.
 * Each process polls for changes every second, so that a change takes effect on all. If agents still need a file as
 * it was, changing or deleting it has no effect until the next start: the capability stays, and `faults` says why.
 */
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { type Capability, type CapabilityRegistry, type Failure, fail, ok, type Result } from "@capstan/core";
import { asc, eq, sql } from "drizzle-orm";
import { type CapabilityChange, type ChangeParts, checkChanges } from "../agents/broken-agents.ts";
import type { Database } from "../db/database.ts";
import { capabilityDocuments } from "../db/schema/user-tables.ts";
import { readOperatorText } from "../files/plain-file.ts";
import { loadDeclarative, readDeclarative } from "./declarative.ts";
import {
  type DocumentVersionFacts,
  forgetVersions,
  keepReplaced,
  keepVersion,
  listVersions,
  readVersions,
} from "./document-versions.ts";
import type { BoundSecrets } from "./secrets.ts";

const DOCUMENT_MAX_BYTES = 4 * 1024 * 1024;
const NOT_A_FILE = "cannot be read, is no plain file, or is larger than 4 MB";

export interface CapabilityDocuments {
  /** Registers a new document, or a newer version of a saved one. */
  put(document: unknown, by: string): Promise<Result<{ capability: Capability; created: boolean }>>;
  /** The capability that a document describes; nothing is registered. */
  read(document: unknown): Result<Capability>;
  remove(id: string): Promise<Result<true>>;
  /** Every version of a saved document, newest first. */
  versions(id: string): Promise<readonly DocumentVersionFacts[]>;
  /** Deletes a version that is not the registered one. */
  removeVersion(id: string, version: string): Promise<Result<true>>;
  /** Invalid files, with the reason. */
  faults(): readonly { file: string; why: string }[];
  refresh(): Promise<void>;
  close(): void;
}

export interface DocumentOptions {
  readonly database: Pick<Database, "orm">;
  readonly registry: CapabilityRegistry;
  /** `<data>/capabilities`; its *.yaml, *.yml and *.json files are documents. */
  readonly folder: string;
  readonly secret?: BoundSecrets;
  /** Agents, which a changed file may break; unchecked when absent. */
  readonly agents?: ChangeParts["agents"];
  readonly onError?: (error: unknown) => void;
}

const LOOK_MS = 1000;
const FOLDER_STEP = "Change those agents first; the next start takes the folder as it is.";

const refusal = ({ message }: Failure): string => `${message} ${FOLDER_STEP}`;

export async function openCapabilityDocuments(options: DocumentOptions): Promise<CapabilityDocuments> {
  const state = new DocumentState(options);
  await state.refresh();
  const timer = setInterval(() => state.refresh().catch((error) => options.onError?.(error)), LOOK_MS);
  timer.unref();
  return {
    put: (document, by) => state.put(document, by),
    read: (document) => state.read(document),
    remove: (id) => state.remove(id),
    versions: (id) => listVersions(options.database.orm, id),
    removeVersion: (id, version) => state.removeVersion(id, version),
    faults: () => state.faults,
    refresh: () => state.refresh(),
    close: () => clearInterval(timer),
  };
}

class DocumentState {
  faults: { file: string; why: string }[] = [];
  /** Registered from here: id -> the version of its source. */
  readonly #saved = new Map<string, number>();
  readonly #files = new Map<string, { id: string; mtimeMs: number }>();
  readonly #options: DocumentOptions;
  #refreshing: Promise<void> = Promise.resolve();

  constructor(options: DocumentOptions) {
    this.#options = options;
  }

  read(document: unknown): Result<Capability> {
    return readDeclarative(document, this.#secrets());
  }

  async put(document: unknown, by: string): Promise<Result<{ capability: Capability; created: boolean }>> {
    const { database, registry } = this.#options;
    const read = this.read(document);
    if (!read.ok) return read;
    const { id, version } = read.value;
    const created = !registry.has(id);
    if (!created && !this.#saved.has(id)) return fail("capability_duplicate", { id });
    const placed = created ? registry.register(read.value) : registry.replace(read.value);
    if (!placed.ok) return placed;
    const values = { id, kind: "declarative", version, document: document as object, createdBy: by };
    const [row] = await database.orm.transaction(async (tx) => {
      await keepReplaced(tx, id);
      await keepVersion(tx, { id, version, document, by });
      return tx
        .insert(capabilityDocuments)
        .values(values)
        .onConflictDoUpdate({
          target: capabilityDocuments.id,
          set: { version, document: values.document, createdBy: by, updatedAt: sql`now()` },
        })
        .returning({ updatedAt: capabilityDocuments.updatedAt });
    });
    await this.#loadVersions(id);
    this.#saved.set(id, row?.updatedAt.getTime() ?? 0);
    return ok({ capability: read.value, created });
  }

  async remove(id: string): Promise<Result<true>> {
    if (!this.#saved.has(id)) return fail("not_found", { what: "saved capability", id });
    await this.#options.database.orm.transaction(async (tx) => {
      await tx.delete(capabilityDocuments).where(eq(capabilityDocuments.id, id));
      await forgetVersions(tx, id);
    });
    this.#forget(id);
    return ok(true);
  }

  async removeVersion(id: string, version: string): Promise<Result<true>> {
    const { database, registry } = this.#options;
    const registered = registry.get(id);
    if (registered.ok && registered.value.version === version)
      return fail("conflict", {
        message: `Version ${version} of "${id}" is currently registered.`,
        nextStep: "Register another version first, or delete the whole capability.",
      });
    const gone = await database.orm.transaction(async (tx) => {
      if (!(await forgetVersions(tx, id, version))) return undefined;
      // Other processes look at this time to see that something changed.
      return tx
        .update(capabilityDocuments)
        .set({ updatedAt: sql`now()` })
        .where(eq(capabilityDocuments.id, id))
        .returning({ updatedAt: capabilityDocuments.updatedAt });
    });
    if (!gone) return fail("not_found", { what: `version of "${id}"`, id: version });
    await this.#loadVersions(id);
    return ok(true);
  }

  /** One at a time: two would register the same file. */
  refresh(): Promise<void> {
    this.#refreshing = this.#refreshing.catch(() => {}).then(() => this.#refresh());
    return this.#refreshing;
  }

  async #refresh(): Promise<void> {
    const { database } = this.#options;
    const rows = await database.orm
      .select({ id: capabilityDocuments.id, updatedAt: capabilityDocuments.updatedAt })
      .from(capabilityDocuments)
      .orderBy(asc(capabilityDocuments.id));
    const present = new Set(rows.map(({ id }) => id));
    for (const id of this.#saved.keys()) if (!present.has(id)) this.#forget(id);
    for (const { id, updatedAt } of rows) {
      if (this.#saved.get(id) !== updatedAt.getTime()) await this.#load(id);
    }
    await this.#readFolder();
  }

  async #load(id: string): Promise<void> {
    const [row] = await this.#options.database.orm
      .select()
      .from(capabilityDocuments)
      .where(eq(capabilityDocuments.id, id));
    if (!row) return;
    const read = readDeclarative(row.document, this.#secrets());
    if (read.ok) this.#options.registry.replace(read.value);
    await this.#loadVersions(id);
    this.#saved.set(id, row.updatedAt.getTime());
  }

  /** A version that can no longer be read is left out; agents that pin it report that. */
  async #loadVersions(id: string): Promise<void> {
    const { database, registry } = this.#options;
    const rows = await readVersions(database.orm, id);
    const read = rows.map(({ document }) => this.read(document));
    registry.keepVersions(
      id,
      read.flatMap((each) => (each.ok && each.value.id === id ? [each.value] : [])),
    );
  }

  async #readFolder(): Promise<void> {
    const { folder } = this.#options;
    const names = existsSync(folder)
      ? readdirSync(folder).filter((name) => /\.(ya?ml|json)$/.test(name))
      : [];
    for (const [name, { id }] of this.#files) if (!names.includes(name)) await this.#removeFile(name, id);
    for (const name of names) await this.#readFile(name, join(folder, name));
  }

  async #removeFile(name: string, id: string): Promise<void> {
    const checked = id === "" ? ok([]) : await this.#check({ id });
    this.#forgetFault(name);
    if (!checked.ok) {
      this.faults.push({ file: name, why: `it was deleted, but ${refusal(checked.failure)}` });
      return;
    }
    this.#options.registry.remove(id);
    this.#files.delete(name);
  }

  #check(change: CapabilityChange): Promise<Result<unknown>> | Result<unknown> {
    const { agents, registry } = this.#options;
    return agents ? checkChanges({ agents, registry }, [change], { force: false }) : ok([]);
  }

  #forgetFault(name: string): void {
    this.faults = this.faults.filter(({ file }) => file !== name);
  }

  async #readFile(name: string, path: string): Promise<void> {
    const mtimeMs = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0; // 0: a dangling link
    const known = this.#files.get(name);
    if (known?.mtimeMs === mtimeMs) return;
    const text = readOperatorText(path, DOCUMENT_MAX_BYTES);
    const read =
      text === undefined
        ? fail("document_invalid", { faults: [{ path: "", message: NOT_A_FILE }] })
        : loadDeclarative(text, this.#secrets());
    const placed = read.ok ? await this.#place(read.value, known?.id) : read;
    this.#forgetFault(name);
    if (!placed.ok) this.faults.push({ file: name, why: placed.failure.message });
    const isRefused = !placed.ok && placed.failure.code === "conflict"; // tried again: the agents may change
    const id = placed.ok ? placed.value.id : (known?.id ?? "");
    this.#files.set(name, { id, mtimeMs: isRefused ? (known?.mtimeMs ?? 0) : mtimeMs });
  }

  /** A file that registered another id before removes that one. */
  async #place(capability: Capability, before: string | undefined): Promise<Result<Capability>> {
    const { registry } = this.#options;
    if (before === undefined || before === "") return registry.register(capability);
    const changes = before === capability.id ? [] : [{ id: before }];
    for (const change of [...changes, { id: capability.id, capability }]) {
      const checked = await this.#check(change);
      if (!checked.ok) return fail("conflict", { message: refusal(checked.failure), nextStep: FOLDER_STEP });
    }
    if (before === capability.id) return registry.replace(capability);
    const registered = registry.register(capability);
    if (registered.ok) registry.remove(before);
    return registered;
  }

  #forget(id: string): void {
    this.#saved.delete(id);
    this.#options.registry.remove(id);
  }

  #secrets() {
    const { secret } = this.#options;
    return secret ? { settings: secret } : {};
  }
}
