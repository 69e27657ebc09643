/** A rule while it is written: what the form shows, and what is sent. */
import type { Rule, RuleCreate } from "@capstan/client";
import { type FieldKind, fieldsOf, isObject, type Json } from "../../forms/schema-fields.ts";

export type Condition = NonNullable<RuleCreate["when"]>[number];
export type ArgumentCondition = Extract<Condition, { arg: string }>;
export type Operator = ArgumentCondition["op"];

export type Limit = NonNullable<RuleCreate["limit"]>;
type Ask = NonNullable<RuleCreate["ask"]>;

type Path = Exclude<Extract<Extract<Condition, { path: unknown }>["path"], string>, "replay">;
type Day = NonNullable<Extract<Condition, { time: unknown }>["time"]["days"]>[number];

/** How a call reaches the gate; the keys are checked by their type. */
export const PATHS = Object.keys({
  loop: true,
  rest: true,
  mcp: true,
  task: true,
  subagent: true,
  harness: true,
  search: true,
  trigger: true,
} satisfies Record<Path, true>) as Path[];
export const DAYS = Object.keys({
  mon: true,
  tue: true,
  wed: true,
  thu: true,
  fri: true,
  sat: true,
  sun: true,
} satisfies Record<Day, true>) as Day[];

export interface RuleDraft {
  readonly name: string;
  readonly agentId: string | null;
  readonly tools: readonly string[];
  readonly when: readonly Condition[];
  readonly then: RuleCreate["then"];
  readonly limit: Limit;
  /** Who is asked instead of the user: an email, `admin`, or nobody else. */
  readonly whom: string;
  readonly words: string;
  /** As the browser's field has it: 2026-11-16. */
  readonly expires: string;
}

export const EMPTY: RuleDraft = {
  name: "",
  agentId: null,
  tools: [],
  when: [],
  then: "ask",
  limit: { calls: 5, per: "hour", each: "user" },
  whom: "",
  words: "",
  expires: "",
};

export const draftOf = (rule: Omit<RuleCreate, "when"> & Partial<Pick<Rule, "when">>): RuleDraft => ({
  name: rule.name,
  agentId: rule.agent_id ?? null,
  tools: rule.tools,
  when: rule.when ?? [],
  then: rule.then,
  limit: rule.limit ?? EMPTY.limit,
  whom: rule.ask?.whom ?? "",
  words: rule.words ?? "",
  expires: rule.expires_at?.slice(0, 10) ?? "",
});

/** Whether the rule asks someone, at once or above its limit. */
export const asks = ({ then, limit }: Pick<RuleDraft, "then" | "limit">): boolean =>
  then === "ask" || (then === "limit" && limit.over === "ask");

/** The effect as the sentence and the server take it. */
export function effectOf(draft: RuleDraft, kept?: Ask | null) {
  const { then, limit, whom } = draft;
  const { whom: _, ...expiry } = kept ?? {};
  const ask: Ask = { ...expiry, ...(whom.trim() !== "" && { whom: whom.trim() }) };
  return {
    limit: then === "limit" ? limit : null,
    ask: asks(draft) && Object.keys(ask).length > 0 ? ask : null,
  };
}

/** `kept`: what happens without an answer, which this form does not show. */
export const ruleOf = (draft: RuleDraft, sentence: string, kept?: Ask | null) => {
  const { name, agentId, tools, when, then, words, expires } = draft;
  return {
    name: name.trim() || sentence.slice(0, 200),
    agent_id: agentId,
    tools: [...tools],
    when: [...when],
    then,
    ...effectOf(draft, kept),
    words: words.trim() || null,
    expires_at: expires === "" ? null : new Date(`${expires}T23:59:59Z`).toISOString(),
  };
};

export type ValueKind = "text" | "number" | "toggle" | "other";

/** Operators in the order people look for them, by the kind of the argument. */
const OPERATORS: Readonly<Record<ValueKind, readonly Operator[]>> = {
  text: [
    "is",
    "is_not",
    "in",
    "not_in",
    "under",
    "not_under",
    "contains",
    "not_contains",
    "starts_with",
    "not_starts_with",
    "ends_with",
    "not_ends_with",
    "exists",
    "missing",
  ],
  number: ["above", "at_least", "at_most", "below", "is", "is_not", "exists", "missing"],
  toggle: ["is", "exists", "missing"],
  other: ["exists", "missing"],
};

export const operatorsOf = (kind: ValueKind): readonly Operator[] => OPERATORS[kind];
export const takesValue = (op: Operator): boolean => op !== "exists" && op !== "missing";
export const takesList = (op: Operator): boolean => op === "in" || op === "not_in";

/** The arguments that a tool's schema has, each with what kind of value it takes. */
export const argumentKinds = (schema: Json | undefined): ReadonlyMap<string, ValueKind> =>
  new Map(((schema && fieldsOf(schema)) ?? []).map(({ name, kind }) => [name, valueKind(kind)]));

function valueKind(kind: FieldKind): ValueKind {
  switch (kind.kind) {
    case "list":
      return valueKind(kind.item);
    case "choice":
      return typeof kind.options[0] === "number" ? "number" : "text";
    case "text":
    case "number":
    case "toggle":
      return kind.kind;
    default:
      return "other";
  }
}

/** What a person typed, as the argument's kind of value. */
export function typedValue(text: string, kind: ValueKind, op: Operator): ArgumentCondition["value"] {
  const one = (part: string) => (kind === "number" ? Number(part) : part);
  if (takesList(op))
    return text
      .split(",")
      .map((part) => part.trim())
      .filter(Boolean)
      .map(one);
  if (kind === "toggle") return text === "true";
  return one(text);
}

export const textOfValue = (value: ArgumentCondition["value"]): string =>
  Array.isArray(value) ? value.join(", ") : value === undefined || isObject(value) ? "" : String(value);
