/**
 * The organisations after the first, each with its own application, behind one listener. Processes notify each other
 * of changes; a process that missed one finds a new organisation at its first request, and otherwise within seconds.
 * The stored list is compared one change at a time; opening or closing an organisation does not delay others.
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
const OPEN_AGAIN_MS = 1000; // pause after an organisation could not be opened

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
  /** Called whenever the organisations are checked. */
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
  /** How processes notify each other of writes. */
  readonly policyChanges: Pick<Database["policyChanges"], "announce" | "onChange">;
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
  /** In force, as last read. */
  #wanted = new Map<string, OrganisationRecord>();
  readonly #opening = new Map<string, Promise<void>>();
  readonly #ending = new Map<string, Promise<void>>();
  readonly #failedAt = new Map<string, number>();
  readonly #inOrder = inTurn();
  readonly #openInOrder = inTurn(); // each waits for a lock of the store, on a connection
  /** Shared by all callers that ask before it starts, so that it includes what was written before they asked. */
  #nextLook: Promise<readonly Promise<void>[]> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(parts: HostParts) {
    this.#parts = parts;
  }

  /** Opens those that exist; one that cannot be opened is reported, and refuses its callers. */
  async start(first: FirstOrganisation): Promise<void> {
    this.#first = first;
    await this.look();
    first.policyChanges.onChange(() => this.#hear());
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

  /** Open organisations after the first. */
  names(): { id: string; name: string }[] {
    return [...this.#entries.values()].map(({ record: { id, name } }) => ({ id, name }));
  }

  standingIn(id: string, email: string) {
    return (id === FIRST_ORGANISATION ? this.#first : this.get(id))?.people.standing(email);
  }

  /** Its tables come first, then access: an interruption leaves nothing half open. */
  create(input: NewOrganisation): Promise<Result<OpenOrganisation>> {
    return this.#openInOrder(() => this.#make(input));
  }

  /** Only a disabled one, of which nothing runs. */
  async remove(id: string): Promise<boolean> {
    if (this.get(id) !== undefined) return false;
    await this.#ending.get(id);
    await this.#parts.erase(id);
    return this.store.remove(id);
  }

  /** After a change of one. Others are told first: ending one here may wait for its requests. */
  async announce(): Promise<void> {
    await this.#first?.policyChanges.announce();
    await this.look();
  }

  /** Compares what runs here with what is stored, until all of it is opened or ended. */
  async look(): Promise<void> {
    await Promise.all(await this.#compareNext());
  }

  async drain(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all([...this.#entries.values()].map(({ opened }) => opened.drain()));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    await this.#inOrder(async () => {});
    await this.#openInOrder(async () => {});
    for (const id of [...this.#entries.keys()]) this.#end(id);
    await Promise.all(this.#ending.values());
  }

  /**
   * Something was written in the first organisation. Who people are counts in all; and it may have been an organisation: a new
   * one is found at its next request, those that run here are checked at once.
   */
  #hear(): void {
    for (const { opened } of this.#entries.values()) opened.database.policyChanges.apply();
    if (!this.#first?.isShared || this.#entries.size === 0) return;
    this.look().catch((error) => this.#parts.onError(error, "looking for organisations"));
  }

  /** An unknown name is always looked up: its organisation may have been created a moment ago at another process. */
  async #find(id: string): Promise<Entry | undefined> {
    const known = this.#entries.get(id);
    if (known || !this.#first?.isShared) return known;
    await this.#compareNext();
    await this.#opening.get(id);
    return this.#entries.get(id);
  }

  #hand({ record, opened }: Entry, request: Request, environment: unknown) {
    const { id, requestsPerMinute } = record;
    const wait = requestsPerMinute === null ? 0 : this.#limiter(id, requestsPerMinute);
    if (wait === 0) return opened.fetch(request, environment);
    const who = `The organisation "${id}"`;
    const facts = { who, perMinute: requestsPerMinute ?? 0, retryAfterSeconds: wait };
    return problemResponse(fail("rate_limited", facts).failure, { "retry-after": String(wait) });
  }

  #compareNext(): Promise<readonly Promise<void>[]> {
    this.#nextLook ??= this.#inOrder(() => {
      this.#nextLook = undefined;
      return this.#compare();
    });
    return this.#nextLook;
  }

  async #compare(): Promise<readonly Promise<void>[]> {
    if (this.#isClosed) return [];
    const records = (await this.store.list()).filter(({ isDisabled }) => !isDisabled);
    this.#wanted = new Map(records.map((record) => [record.id, record]));
    this.#parts.setWeights(records.map(({ id, weight }) => [id, weight]));
    const isStill = ({ id, createdAt }: OrganisationRecord) =>
      this.#wanted.get(id)?.createdAt.getTime() === createdAt.getTime(); // otherwise it was deleted and created again
    const ended = [...this.#entries.values()].filter(({ record }) => !isStill(record));
    const work = ended.map(({ record }) => this.#end(record.id));
    for (const record of records) {
      const entry = this.#entries.get(record.id);
      if (entry) entry.record = record;
      else work.push(this.#begin(record.id));
    }
    return work;
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
    await this.#inOrder(async () => {
      await this.store.ready(id);
      const record = (await this.store.list()).find((each) => each.id === id);
      if (!record) throw new Error("the organisation just written is not there");
      this.#entries.set(id, { record, opened: opened.value });
    });
    await this.#first?.policyChanges.announce();
    return opened;
  }

  /** One at a time, after its previous instance has ended. */
  #begin(id: string): Promise<void> {
    const begun = this.#opening.get(id) ?? this.#beginAfterEnd(id).finally(() => this.#opening.delete(id));
    this.#opening.set(id, begun);
    return begun;
  }

  async #beginAfterEnd(id: string): Promise<void> {
    await this.#ending.get(id);
    await this.#openInOrder(() => this.#open(id));
  }

  async #open(id: string): Promise<void> {
    const isNeeded = () => !this.#isClosed && this.#wanted.has(id) && !this.#entries.has(id);
    const failedAt = this.#failedAt.get(id) ?? Number.NEGATIVE_INFINITY;
    if (!isNeeded() || performance.now() - failedAt < OPEN_AGAIN_MS) return;
    const opened = await this.#parts.open(id).catch((error: Error): Refused => {
      this.#parts.onError(error, `organisation ${id}`);
      return fail("not_found", { what: "organisation", id });
    });
    if (!opened.ok) {
      this.#failedAt.set(id, performance.now());
      this.#parts.onError(new Error(opened.failure.message), `organisation ${id}`);
      return;
    }
    this.#failedAt.delete(id);
    const record = this.#wanted.get(id);
    if (!record || !isNeeded()) return this.#close(id, opened.value); // disabled meanwhile
    this.#entries.set(id, { record, opened: opened.value });
    opened.value.database.policyChanges.apply(); // it received no notifications while it opened
  }

  /** Accepts no more requests; running work is finished. */
  #end(id: string): Promise<void> {
    const entry = this.#entries.get(id);
    this.#entries.delete(id);
    const ended = (entry ? this.#close(id, entry.opened) : Promise.resolve()).finally(() =>
      this.#ending.delete(id),
    );
    this.#ending.set(id, ended);
    return ended;
  }

  async #close(id: string, opened: OpenOrganisation): Promise<void> {
    try {
      await opened.drain();
      await opened.close();
    } catch (error) {
      this.#parts.onError(error, `organisation ${id}`);
    }
  }
}

/** Runs one step after the other; one that fails stops no later one. */
function inTurn(): <T>(step: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (step) => {
    const turn = last.then(step);
    last = turn.catch(() => {});
    return turn;
  };
}
