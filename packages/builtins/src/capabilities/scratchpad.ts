/** The research scratchpad: notes in the session's store, one key each, so that concurrent calls lose nothing. */
import { type CapabilityStore, fail, ok, type Result } from "@capstan/core";
import { z } from "zod";

const PREFIX = "note:";
const MAX_NOTES = 500; // below the store's list limit

export const note = z.object({
  id: z.string(),
  topic: z.string(),
  content: z.string(),
  sources: z.array(z.string()),
  created_at: z.string(),
});
export type Note = z.output<typeof note>;

/** Oldest first; skips notes written by another version that this one cannot read. */
export async function allNotes(store: CapabilityStore): Promise<Note[]> {
  const rows = await store.list(PREFIX);
  return rows
    .flatMap(({ value }) => note.safeParse(value).data ?? [])
    .sort((a, b) =>
      a.created_at === b.created_at ? compare(a.id, b.id) : compare(a.created_at, b.created_at),
    );
}

export async function saveNote(store: CapabilityStore, saved: Note): Promise<void> {
  await store.set(PREFIX + saved.id, saved);
}

export async function deleteNote(store: CapabilityStore, id: string): Promise<void> {
  await store.delete(PREFIX + id);
}

/** The note to change, or a new one, whose id is derived from the call, so that a repeated call writes the same note. */
export async function noteFor(
  store: CapabilityStore,
  id: string | undefined,
  idempotencyKey: string,
  now: Date,
): Promise<Result<Note>> {
  const notes = await allNotes(store);
  const wanted = id ?? newId(idempotencyKey);
  const known = notes.find((other) => other.id === wanted);
  if (known) return ok(known);
  if (id !== undefined) return fail("note_not_found", { id, notes: notes.map((other) => other.id) });
  if (notes.length >= MAX_NOTES) return fail("scratchpad_full", { limit: MAX_NOTES });
  return ok({ id: wanted, topic: "", content: "", sources: [], created_at: now.toISOString() });
}

/** Number of notes per topic, in order of first appearance. */
export function topicsOf(notes: readonly Note[]): { topic: string; count: number }[] {
  const counts = new Map<string, number>();
  for (const { topic } of notes) counts.set(topic, (counts.get(topic) ?? 0) + 1);
  return [...counts].map(([topic, count]) => ({ topic, count }));
}

/** The notes as one Markdown document: one section per topic, sources numbered once and listed at the end. */
export function outline(notes: readonly Note[]): { outline: string; sources: string[] } {
  const sources = [...new Set(notes.flatMap((one) => one.sources))];
  const sections = topicsOf(notes).map(({ topic }) => {
    const items = notes.filter((one) => one.topic === topic).map((one) => `- ${cited(one, sources)}`);
    return `## ${topic}\n\n${items.join("\n")}`;
  });
  if (sources.length > 0)
    sections.push(`## Sources\n\n${sources.map((url, index) => `${index + 1}. ${url}`).join("\n")}`);
  return { outline: sections.join("\n\n"), sources };
}

function cited({ content, sources: own }: Note, sources: readonly string[]): string {
  const marks = own.map((url) => `[${sources.indexOf(url) + 1}]`).join("");
  const text = content.replaceAll("\n", "\n  "); // keep it inside its list item
  return marks === "" ? text : `${text} ${marks}`;
}

/** Two FNV-1a hashes: notes are few, and the store belongs to one session. */
function newId(key: string): string {
  return `n${hash(key).toString(36)}${hash(`${key}+`).toString(36)}`;
}

function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const char of text) value = Math.imul(value ^ (char.codePointAt(0) ?? 0), 0x01000193);
  return value >>> 0;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
