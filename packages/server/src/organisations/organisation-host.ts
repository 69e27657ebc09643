/**
 * The organisations beside the first, each with an application of its own, behind one listener. Other processes find a new
 * one at its first request, and otherwise within seconds.
 */
import { fail, type Refused, type Result } from "@capstan/core";
import {
  type AuditLog,
  type BudgetStore,
  type Database,
  FIRST_ORGANISATION,
  type KeyStore,
  type OrganisationRecord,
  type OrganisationStore,
  type PeopleStore,
} from "@capstan/runtime";
import { rateLimiter } from "../auth/rate-limiter.ts";
import { originFrom } from "../auth/resources.ts";
import { problemResponse } from "../http/problem.ts";
import type { Settings } from "../settings/settings.ts";
import { organisationOf } from "./organisation-of-request.ts";

const LOOK_MS = 5000;
const LOOK_AGAIN_MS = 1000; // for a name that nobody here knows

export type Handler = (request: Request, environment?: unknown) => Response | Promise<Response>;

/** One organisation at work. */
export interface OpenOrganisation {
  readonly fetch: Handler;
  readonly people: Pick<PeopleStore, "standing">;
  readonly keys: Pick<KeyStore, "create">;
  readonly budgets: BudgetStore;
  readonly audit: Pick<AuditLog, "add">;
  readonly database: Pick<Database, "policyChanges">;
  drain(): Promise<void>;
  close(): Promise<void>;
}

export interface HostParts {
  readonly settings: Settings;
  readonly open: (id: string) => Promise<Result<OpenOrganisation>>;
  /** Removes its tables and files. */
  readonly erase: (id: string) => Promise<void>;
  /** Told whenever the organisations are looked at. */
  readonly setWeights: (weights: readonly (readonly [id: string, weight: number])[]) => void;
  readonly onError: (error: unknown, what: string) => void;
}

/** What is known once the first organisation is open. */
export interface FirstOrganisation {
  readonly fetch: Handler;
  readonly store: OrganisationStore;
  readonly people: Pick<PeopleStore, "standing">;
  /** Whether other processes may create one. */
  readonly isShared: boolean;
}

type NewOrganisation = Parameters<OrganisationStore["create"]>[0];

interface Entry {
  record: OrganisationRecord;
  readonly opened: OpenOrganisation;
}

export class OrganisationHost {
  readonly #parts: HostParts;
  readonly #entries = new Map<string, Entry>();
  readonly #limiter = rateLimiter(() => performance.now());
  #first: FirstOrganisation | undefined;
  #looking: Promise<void> = Promise.resolve();
  #lookedAt = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(parts: HostParts) {
    this.#parts = parts;
  }

  /** Opens those that exist; one that cannot be opened is reported, and refuses its callers. */
  async start(first: FirstOrganisation): Promise<void> {
    this.#first = first;
    await this.look();
    if (!first.isShared) return;
    this.#timer = setInterval(() => {
      this.look().catch((error) => this.#parts.onError(error, "looking for organisations"));
    }, LOOK_MS);
  }

  readonly fetch: Handler = async (request, environment) => {
    const first = this.#first;
    if (first === undefined) throw new Error("the first organisation is not open");
    const origin = originFrom((name) => request.headers.get(name) ?? undefined, this.#parts.settings);
    const named = await organisationOf(request, origin);
    if (!named.ok) return problemResponse(named.failure);
    const { id, isStrict } = named.value;
    if (id === FIRST_ORGANISATION) return first.fetch(request, environment);
    const entry = await this.#find(id);
    if (entry) return this.#hand(entry, request, environment);
    if (!isStrict) return first.fetch(request, environment);
    const why = "the organisation is not known here, or the key is not of it";
    return problemResponse(fail("unauthenticated", { why }).failure, { "www-authenticate": "Bearer" });
  };

  get store(): OrganisationStore {
    if (this.#first === undefined) throw new Error("the first organisation is not open");
    return this.#first.store;
  }

  get(id: string): OpenOrganisation | undefined {
    return this.#entries.get(id)?.opened;
  }

  /** Beside the first, in force. */
  names(): { id: string; name: string }[] {
    return [...this.#entries.values()].map(({ record: { id, name } }) => ({ id, name }));
  }

  standingIn(id: string, email: string) {
    return (id === FIRST_ORGANISATION ? this.#first : this.get(id))?.people.standing(email);
  }

  /** Its tables first, then everybody may enter it: an interruption leaves nothing that is half open. */
  create(input: NewOrganisation): Promise<Result<OpenOrganisation>> {
    const made = this.#looking.catch(() => {}).then(() => this.#make(input));
    this.#looking = made.then(() => {});
    return made;
  }

  /** Only one that is disabled: nothing of it runs any more. */
  async remove(id: string): Promise<boolean> {
    if (this.get(id) !== undefined) return false;
    await this.#parts.erase(id);
    return this.store.remove(id);
  }

  /** Compares what runs here with what is stored; one at a time. */
  look(): Promise<void> {
    this.#lookedAt = performance.now();
    this.#looking = this.#looking.catch(() => {}).then(() => this.#compare());
    return this.#looking;
  }

  async drain(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all([...this.#entries.values()].map(({ opened }) => opened.drain()));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    await this.#looking.catch(() => {});
    for (const id of [...this.#entries.keys()]) await this.#end(id);
  }

  async #find(id: string): Promise<Entry | undefined> {
    const known = this.#entries.get(id);
    if (known || !this.#first?.isShared || performance.now() - this.#lookedAt < LOOK_AGAIN_MS) return known;
    await this.look();
    return this.#entries.get(id);
  }

  #hand({ record, opened }: Entry, request: Request, environment: unknown) {
    const { id, requestsPerMinute } = record;
    const wait = requestsPerMinute === null ? 0 : this.#limiter(id, requestsPerMinute);
    if (wait === 0) return opened.fetch(request, environment);
    const facts = { perMinute: requestsPerMinute ?? 0, retryAfterSeconds: wait };
    return problemResponse(fail("rate_limited", facts).failure, { "retry-after": String(wait) });
  }

  async #compare(): Promise<void> {
    if (this.#isClosed) return;
    const wanted = new Map(
      (await this.store.list()).filter(({ isDisabled }) => !isDisabled).map((record) => [record.id, record]),
    );
    this.#parts.setWeights([...wanted.values()].map(({ id, weight }) => [id, weight]));
    for (const id of [...this.#entries.keys()]) if (!wanted.has(id)) await this.#end(id);
    for (const [id, record] of wanted) {
      const entry = this.#entries.get(id);
      if (entry) entry.record = record;
      else await this.#begin(record);
    }
  }

  async #make(input: NewOrganisation): Promise<Result<OpenOrganisation>> {
    const { id } = input;
    const reserved = await this.store.create(input);
    if (!reserved.ok) return reserved;
    const opened = await this.#parts.open(id);
    if (!opened.ok) {
      await this.store.remove(id);
      return opened;
    }
    await this.store.ready(id);
    const record = (await this.store.list()).find((each) => each.id === id);
    if (!record) throw new Error("the organisation just written is not there");
    this.#entries.set(id, { record, opened: opened.value });
    return opened;
  }

  async #begin(record: OrganisationRecord): Promise<void> {
    const { id } = record;
    const opened = await this.#parts.open(id).catch((error: Error): Refused => {
      this.#parts.onError(error, `organisation ${id}`);
      return fail("not_found", { what: "organisation", id });
    });
    if (opened.ok) this.#entries.set(id, { record, opened: opened.value });
    else this.#parts.onError(new Error(opened.failure.message), `organisation ${id}`);
  }

  async #end(id: string): Promise<void> {
    const entry = this.#entries.get(id);
    this.#entries.delete(id);
    await entry?.opened.drain();
    await entry?.opened.close();
  }
}
