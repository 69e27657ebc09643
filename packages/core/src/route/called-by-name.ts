/**
 * "search with brave", "the linear issue": a task that calls a capability by its name is for that capability. The
 * name only counts if it occurs in no other capability's text, so "translate", the name of one capability and a word
 * in many, selects nothing.
 */
import type { IndexEntry } from "./route-index.ts";
import { words } from "./text.ts";

const BEFORE = new Set(
  "with using via on in of through from by auf mit über in per von con en por desde sur avec dans via em no na com de search ask use".split(
    " ",
  ),
);
const ARTICLES = new Set(
  "the my our a an der dem den die das el la los las le les l o a os as un une una um uma".split(" "),
);
const NOT_A_NAME = new Set(
  "mcp server servers api app tool tools service client example official the a".split(" "),
);
const LEAST_CHARS = 4;

export interface NamedEntry {
  readonly capabilityId: string;
  readonly entry: IndexEntry;
}

/** The id of the only capability that the task calls by name. */
export function calledByName(task: string, entries: readonly NamedEntry[]): string | undefined {
  const said = words(task.replaceAll(/["“„«'`][^"”“»'`]*["”“»'`]|\S*[/.@]\S*/g, " . "));
  const isCalled = (name: string, own: ReadonlySet<string>) =>
    said.some((word, at) => {
      if (word !== name) return false;
      const before = ARTICLES.has(said[at - 1] ?? "") ? said[at - 2] : said[at - 1];
      const next = said[at + 1] ?? "";
      return (before !== undefined && BEFORE.has(before)) || own.has(next) || own.has(next.replace(/s$/, ""));
    });
  const called = [...namesOf(entries)].filter(([name, { capabilityId, own }]) => {
    if (!said.includes(name) || !isCalled(name, own)) return false;
    return entries.every((each) => each.capabilityId === capabilityId || !textOf(each.entry).has(name));
  });
  const ids = new Set(called.map(([, { capabilityId }]) => capabilityId));
  return ids.size === 1 ? [...ids][0] : undefined;
}

interface Named {
  readonly capabilityId: string;
  /** Words of its own texts. */
  readonly own: ReadonlySet<string>;
}

const VERSION = /^(?:v*\d+|i{1,3}|iv|vi{0,3})$/;

/** The one word that people say: "todoist" of `todoist-mcp`, "firefly" of "Firefly III API v6.6.2". */
export function shortName(form: string): string | undefined {
  const left = words(form.replaceAll(/[_.-]+/g, " ")).filter(
    (word) => !NOT_A_NAME.has(word) && !VERSION.test(word),
  );
  const [name] = left;
  return left.length === 1 && name !== undefined && name.length >= LEAST_CHARS ? name : undefined;
}

function namesOf(entries: readonly NamedEntry[]): Map<string, Named> {
  const names = new Map<string, Named>();
  for (const capabilityId of new Set(entries.map((each) => each.capabilityId))) {
    const mine = entries.filter((each) => each.capabilityId === capabilityId);
    const own = new Set(mine.flatMap(({ entry }) => [...textOf(entry)]));
    const whole = mine.find(({ entry }) => entry.document.id === capabilityId)?.entry.document.name ?? "";
    for (const form of [capabilityId, whole]) {
      const name = shortName(form);
      if (name !== undefined) names.set(name, { capabilityId, own });
    }
  }
  return names;
}

const texts = new WeakMap<IndexEntry, ReadonlySet<string>>();

function textOf(entry: IndexEntry): ReadonlySet<string> {
  const known = texts.get(entry);
  if (known) return known;
  const { name, description, triggers = [], params = [], tags = [] } = entry.document;
  const made = new Set(
    [name, description, ...triggers, ...params, ...tags].flatMap((text) =>
      words(text.replaceAll(/[_-]+/g, " ")),
    ),
  );
  texts.set(entry, made);
  return made;
}
