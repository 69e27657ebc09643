/** Recorded runs as items: copies without secrets. A run that cannot become one is listed with the reason. */
import {
  type DatasetItem,
  type FindSpans,
  itemOfRun,
  scrub,
  TEXT_KINDS,
  type TextKind,
} from "@capstan/core/internal";
import type pg from "pg";
import { readRecording } from "../replays/read-recording.ts";
import { compileTextFind } from "../text-checks/compile-text-check.ts";
import type { ItemSource, NewItem } from "./dataset-store.ts";

/** Keys, tokens and card numbers always; the rest as asked. */
export const ALWAYS_SCRUBBED: readonly TextKind[] = ["secret", "credit_card"];

const LARGEST_ITEM = 1_000_000; // characters of JSON

export interface ItemChoice {
  readonly scrubbed: readonly TextKind[];
  readonly labels: readonly string[];
  /** Use the recorded answer as the expected one. */
  readonly expectAnswer: boolean;
}

export interface CollectedItems {
  readonly items: readonly NewItem[];
  readonly skipped: readonly { readonly runId: string; readonly why: string }[];
}

export async function itemsOfRuns(
  pool: Pick<pg.Pool, "query">,
  runIds: readonly string[],
  by: string,
  choice: ItemChoice,
): Promise<CollectedItems> {
  const items: NewItem[] = [];
  const skipped: { runId: string; why: string }[] = [];
  for (const runId of runIds) {
    const read = await readRecording(pool, runId);
    if (!read.ok) {
      skipped.push({ runId, why: read.failure.message });
      continue;
    }
    const { before, calls, side, sessionId, agentId, revision } = read.value;
    const made = itemOfRun(runId, { ...side, before, calls });
    const { recorded } = made;
    const item: DatasetItem = {
      ...made,
      ...(choice.expectAnswer && recorded && { expected: recorded.answer }),
      ...(choice.labels.length > 0 && { labels: choice.labels }),
    };
    const source: ItemSource = {
      kind: "run",
      by,
      runId,
      sessionId,
      agentId,
      ...(revision !== null && { revision }),
    };
    const kept = cleanItem(item, source, choice.scrubbed);
    if (kept) items.push(kept);
    else skipped.push({ runId, why: `it has more than ${LARGEST_ITEM} characters` });
  }
  return { items, skipped };
}

/** The item without secrets; undefined when it is too large. */
export function cleanItem(
  item: DatasetItem,
  source: ItemSource,
  kinds: readonly TextKind[],
): NewItem | undefined {
  if (JSON.stringify(item).length > LARGEST_ITEM) return undefined;
  const { id, ...content } = item;
  const { value, scrubbed } = scrub(content, findersOf([...ALWAYS_SCRUBBED, ...kinds]));
  return { item: { id, ...value }, scrubbed, source };
}

const compiled = new Map<TextKind, FindSpans>();

export function findersOf(kinds: readonly TextKind[]): Partial<Record<TextKind, FindSpans>> {
  const wanted = TEXT_KINDS.filter((kind) => kinds.includes(kind));
  return Object.fromEntries(wanted.map((kind) => [kind, finderOf(kind)]));
}

function finderOf(kind: TextKind): FindSpans {
  const had = compiled.get(kind);
  if (had) return had;
  const made = compileTextFind({ kind });
  if (!made.ok) throw new Error(`the pattern of ${kind} does not compile`);
  compiled.set(kind, made.value);
  return made.value;
}
