/**
 * Capabilities given as documents: saved over the API (in Postgres, for every process) or put into the data folder.
 * Each process polls for changes every second, so that a change takes effect on all.
 */
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { type Capability, type CapabilityRegistry, fail, ok, type Result } from "@capstan/core";
import { asc, eq, sql } from "drizzle-orm";
import type { Database } from "../db/database.ts";
import { capabilityDocuments } from "../db/schema/user-tables.ts";
import { readOperatorText } from "../files/plain-file.ts";
import { loadDeclarative, readDeclarative } from "./declarative.ts";
import type { BoundSecrets } from "./secrets.ts";

const DOCUMENT_MAX_BYTES = 4 * 1024 * 1024;
const NOT_A_FILE = "it cannot be read, is no plain file, or is larger than 4 MB";

export interface CapabilityDocuments {
  /** Registers a new document, or a newer version of a saved one. */
  put(document: unknown, by: string): Promise<Result<{ capability: Capability; created: boolean }>>;
  /** The capability that a document describes; nothing is registered. */
  read(document: unknown): Result<Capability>;
  remove(id: string): Promise<Result<true>>;
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
  readonly onError?: (error: unknown) => void;
}

const LOOK_MS = 1000;

export async function openCapabilityDocuments(options: DocumentOptions): Promise<CapabilityDocuments> {
  const state = new DocumentState(options);
  await state.refresh();
  const timer = setInterval(() => state.refresh().catch((error) => options.onError?.(error)), LOOK_MS);
  timer.unref();
  return {
    put: (document, by) => state.put(document, by),
    read: (document) => state.read(document),
    remove: (id) => state.remove(id),
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
    const [row] = await database.orm
      .insert(capabilityDocuments)
      .values(values)
      .onConflictDoUpdate({
        target: capabilityDocuments.id,
        set: { version, document: values.document, updatedAt: sql`now()` },
      })
      .returning({ updatedAt: capabilityDocuments.updatedAt });
    this.#saved.set(id, row?.updatedAt.getTime() ?? 0);
    return ok({ capability: read.value, created });
  }

  async remove(id: string): Promise<Result<true>> {
    if (!this.#saved.has(id)) return fail("not_found", { what: "saved capability", id });
    await this.#options.database.orm.delete(capabilityDocuments).where(eq(capabilityDocuments.id, id));
    this.#forget(id);
    return ok(true);
  }

  async refresh(): Promise<void> {
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
    this.#readFolder();
  }

  async #load(id: string): Promise<void> {
    const [row] = await this.#options.database.orm
      .select()
      .from(capabilityDocuments)
      .where(eq(capabilityDocuments.id, id));
    if (!row) return;
    const read = readDeclarative(row.document, this.#secrets());
    if (read.ok) this.#options.registry.replace(read.value);
    this.#saved.set(id, row.updatedAt.getTime());
  }

  #readFolder(): void {
    const { folder } = this.#options;
    const names = existsSync(folder)
      ? readdirSync(folder).filter((name) => /\.(ya?ml|json)$/.test(name))
      : [];
    for (const [name, { id }] of this.#files) {
      if (names.includes(name)) continue;
      this.#options.registry.remove(id);
      this.#files.delete(name);
    }
    for (const name of names) this.#readFile(name, join(folder, name));
  }

  #readFile(name: string, path: string): void {
    const mtimeMs = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0; // 0: a link that leads nowhere
    const known = this.#files.get(name);
    if (known?.mtimeMs === mtimeMs) return;
    this.faults = this.faults.filter(({ file }) => file !== name);
    const text = readOperatorText(path, DOCUMENT_MAX_BYTES);
    const read =
      text === undefined
        ? fail("document_invalid", { faults: [{ path: "", message: NOT_A_FILE }] })
        : loadDeclarative(text, this.#secrets());
    const { registry } = this.#options;
    const placed = read.ok
      ? known?.id === read.value.id
        ? registry.replace(read.value)
        : registry.register(read.value)
      : read;
    if (!placed.ok) this.faults.push({ file: name, why: placed.failure.message });
    this.#files.set(name, { id: placed.ok ? placed.value.id : (known?.id ?? ""), mtimeMs });
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
