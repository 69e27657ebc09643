/** A conversation while events are applied: the list changes in place, each entry is replaced, never mutated. */
import type { Message } from "@capstan/client";
import type { JsonValue } from "@capstan/core";
import type { ListedTask } from "@capstan/core/internal";
import { type Entry, keyOf, type RunView, type UserMessage } from "./entries.ts";
import { userMessage } from "./stored-messages.ts";

type Kind = Entry["kind"];
type OfKind<K extends Kind> = Extract<Entry, { kind: K }>;

export class Draft {
  entries: Entry[] = [];
  readonly #places = new Map<string, number>();
  readonly runs: RunView[] = [];
  state: JsonValue | undefined;
  todos: readonly ListedTask[] = [];
  /** The call with the latest result: it draws the next card. */
  lastResult: string | undefined;
  toolResults = 0;

  /** By run: the messages as they are stored. */
  readonly stored = new Map<string, readonly Message[]>();

  learn(runId: string, messages: readonly Message[]): void {
    this.stored.set(runId, messages);
    this.change("user", runId, (before) => ({ ...before, message: this.wordsOf(runId) }));
  }

  wordsOf(runId: string): UserMessage | undefined {
    const said = this.stored.get(runId)?.find(({ role }) => role === "user");
    return said && userMessage(said);
  }

  get run(): RunView | undefined {
    return this.runs.at(-1);
  }

  setRun(change: Partial<RunView>): void {
    const last = this.runs.pop();
    if (last) this.runs.push({ ...last, ...change });
  }

  readonly find = <K extends Kind>(kind: K, id: string): OfKind<K> | undefined => {
    const place = this.#places.get(keyOf({ kind, id }));
    return place === undefined ? undefined : (this.entries[place] as OfKind<K>);
  };

  /** Replaces the entry of the same kind and id, or appends it. */
  put(entry: Entry): void {
    const key = keyOf(entry);
    const place = this.#places.get(key);
    if (place !== undefined) {
      this.entries[place] = entry;
      return;
    }
    this.#places.set(key, this.entries.length);
    this.entries.push(entry);
  }

  change<K extends Kind>(kind: K, id: string, make: (before: OfKind<K>) => OfKind<K>): void {
    const before = this.find(kind, id);
    if (before) this.put(make(before));
  }

  replaceAll(entries: Entry[]): void {
    this.entries = [];
    this.#places.clear();
    for (const entry of entries) this.put(entry);
  }
}
