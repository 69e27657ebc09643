/** How two revisions of an agent differ: fields, the prompt line by line, rights, capability versions, price. */
import { isSameJson } from "../ordered-json.ts";
import { type DiffLine, lineDiff } from "./line-diff.ts";

/** A capability as it was when a revision was saved. */
export interface CapabilityPin {
  readonly id: string;
  readonly version: string;
  /** Of its package's archive; absent for what is built in or declared. */
  readonly sha256?: string;
}

export interface RevisionFacts {
  /** The agent's fields under the API's names; secrets are words. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly pins: readonly CapabilityPin[] | null;
  readonly tokens: number | null;
}

export interface RevisionDiff {
  readonly fields: readonly { readonly field: string; readonly before: unknown; readonly after: unknown }[];
  /** Only when the prompt changed. */
  readonly prompt: readonly DiffLine[];
  readonly pins: readonly {
    readonly id: string;
    readonly before: CapabilityPin | null;
    readonly after: CapabilityPin | null;
  }[];
  readonly tokens: { readonly before: number | null; readonly after: number | null };
}

export function revisionDiff(before: RevisionFacts, after: RevisionFacts): RevisionDiff {
  const names = [...new Set([...Object.keys(before.fields), ...Object.keys(after.fields)])];
  const fields = names
    .map((field) => ({
      field,
      before: before.fields[field] ?? null,
      after: after.fields[field] ?? null,
    }))
    .filter((each) => !isSameJson(each.before, each.after));
  const isPromptChanged = fields.some(({ field }) => field === "system_prompt");
  return {
    fields: fields.filter(({ field }) => field !== "system_prompt"),
    prompt: isPromptChanged ? lineDiff(textOf(before), textOf(after)) : [],
    pins: pinChanges(before.pins ?? [], after.pins ?? []),
    tokens: { before: before.tokens, after: after.tokens },
  };
}

const textOf = ({ fields: { system_prompt } }: RevisionFacts): string =>
  typeof system_prompt === "string" ? system_prompt : "";

function pinChanges(before: readonly CapabilityPin[], after: readonly CapabilityPin[]): RevisionDiff["pins"] {
  const ids = [...new Set([...before, ...after].map(({ id }) => id))];
  const of = (pins: readonly CapabilityPin[], id: string) => pins.find((pin) => pin.id === id) ?? null;
  return ids
    .map((id) => ({ id, before: of(before, id), after: of(after, id) }))
    .filter((each) => !isSameJson(each.before, each.after));
}
