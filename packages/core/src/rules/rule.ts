/**
 * Rules: which calls are allowed, require approval, are denied or limited in number, by tool, arguments, user, time and
 * what the run has read. Deny beats ask beats allow; without a matching rule the tool's own policy applies.
 */
import type { ApprovalExpiry } from "../agent.ts";
import type { CallPath } from "../authority/call-authority.ts";
import type { DataFlow, DataLabel } from "../data-flow/data-flow.ts";
import type { JsonSchema } from "../schema.ts";

/** A decision about a call. */
export const RULE_DECISIONS = ["allow", "ask", "deny"] as const;
export type RuleEffect = (typeof RULE_DECISIONS)[number];
/** A rule's effect: `limit` asks or denies after a number of calls. */
export const RULE_EFFECTS = [...RULE_DECISIONS, "limit"] as const;
export type SavedEffect = (typeof RULE_EFFECTS)[number];

export const RULE_OPERATORS = [
  "is",
  "is_not",
  "in",
  "not_in",
  "above",
  "below",
  "at_least",
  "at_most",
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
] as const;
export type RuleOperator = (typeof RULE_OPERATORS)[number];

export type RuleValue = string | number | boolean | readonly (string | number)[];

export interface ArgumentCondition {
  /** A field of the tool's input; `a.b` for a nested one. Fields of lists stand for every item. */
  readonly arg: string;
  readonly op: RuleOperator;
  /** Absent for `exists` and `missing`. */
  readonly value?: RuleValue | undefined;
}

export const RULE_DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;
export type RuleDay = (typeof RULE_DAYS)[number];

/** A part of the day, such as 08:00 to 18:00; one that ends before it starts goes over midnight. */
export interface RuleTime {
  readonly from: string;
  readonly to: string;
  /** The days in the zone on which it begins; without them, every day. */
  readonly days?: readonly RuleDay[] | undefined;
  /** An IANA zone; without it, UTC. */
  readonly zone?: string | undefined;
}

export const COUNT_PERIODS = ["minute", "hour", "day", "week", "month"] as const;
export type CountPeriod = (typeof COUNT_PERIODS)[number];
export const COUNT_EACH = ["user", "agent", "session"] as const;
export type CountEach = (typeof COUNT_EACH)[number];

/** Calls of the last minute, hour, day, week or month (30 days), and whose calls are counted together. */
export interface CallCount {
  readonly calls: number;
  readonly per: CountPeriod;
  /** Each user, agent or session is counted separately; absent: all together. */
  readonly each?: CountEach | undefined;
}

/** The number of calls; further ones are denied or require approval. */
export interface RuleLimit extends CallCount {
  readonly over?: "deny" | "ask" | undefined;
}

/** `above`: more than this many calls, including this one. `at_most`: up to this many. */
export interface OftenCondition extends CallCount {
  readonly op: "above" | "at_most";
}

export type RuleCondition =
  | ArgumentCondition
  | { readonly seen: DataLabel }
  | { readonly user: string | readonly string[] }
  /** A group of the user, as their OpenID provider names it: a value of the claim `groups`, or `claim=value`. */
  | { readonly group: string | readonly string[] }
  | { readonly not_group: string | readonly string[] }
  /** A provider of an account of the user that the tool uses. */
  | { readonly connection: string | readonly string[] }
  /** A scope that the tool requires. */
  | { readonly scope: string | readonly string[] }
  | { readonly path: CallPath | readonly CallPath[] }
  | { readonly time: RuleTime }
  /** Number of earlier calls that matched its tools and its other conditions. */
  | { readonly often: OftenCondition }
  /** A CEL expression over the facts of a call: `args`, `user`, `groups`, `agent`, `tool`, `seen`, `now` and more. */
  | { readonly expr: string };

/** Whom a rule asks, and what happens without an answer; default: the agent's settings. */
export interface RuleAsk {
  /** Who answers instead of the user: an email, or `admin`. */
  readonly whom?: string | undefined;
  readonly expiry?: ApprovalExpiry | undefined;
}

export interface Rule {
  readonly id: string;
  readonly name: string;
  /** The one agent it is for; without it, all. */
  readonly agentId?: string | undefined;
  /** The user whose calls it applies to; default: everybody's. Written by that user, it can ask or deny, never allow. */
  readonly owner?: string | undefined;
  /** Tool names, `prefix*`, `*`, or one of `TOOL_KINDS`, such as `capability:<id>` and `writes:external`. */
  readonly tools: readonly string[];
  /** All must hold; none means always. */
  readonly when: readonly RuleCondition[];
  readonly effect: SavedEffect;
  /** Only with the effect `limit`. */
  readonly limit?: RuleLimit | undefined;
  /** Only with a rule that asks. */
  readonly ask?: RuleAsk | undefined;
  /** Shown to the person who is asked, or to the model that is refused. */
  readonly words?: string | undefined;
  readonly expiresAt?: Date | undefined;
}

/** One call, as rules see it. */
export interface RuleCall {
  readonly tool: string;
  /** The tool's own name, where the agent gave it a prefix. */
  readonly ownName: string;
  readonly capabilityId: string;
  readonly risk: string;
  /** As parsed by the tool's schema. */
  readonly args: unknown;
  /** The tool's input schema: a rule over an argument that it no longer has is broken. */
  readonly schema?: { readonly jsonSchema: JsonSchema } | undefined;
  readonly user: string;
  readonly agentId: string;
  readonly sessionId?: string | undefined;
  /** Scopes that the tool requires, and providers of the accounts that it uses. */
  readonly scopes: readonly string[];
  readonly connections: readonly string[];
  /** How it reached the gate. */
  readonly path: CallPath;
  /** What the tool reads and writes. */
  readonly flow: DataFlow;
  /** What the session had read before this call. */
  readonly seen: readonly DataLabel[];
  /** Groups of the user; see `groupsOf`. */
  readonly groups: readonly string[];
  /** By rule: the number of earlier calls, for the rules in `counted`. */
  readonly counts: ReadonlyMap<string, number>;
  /** An operator chose this call beforehand: default rules do not apply. */
  readonly isArranged?: boolean;
  readonly now: Date;
}

/** What is known about a call without a lookup. */
export type AskedCall = Omit<RuleCall, "seen" | "groups" | "counts">;

/** A rule that counts a call, and for which subject. */
export interface RuleCount extends CallCount {
  readonly ruleId: string;
  /** A user, an agent, a session; "" for all together. */
  readonly subject: string;
}

export interface RuleDecision {
  readonly effect: RuleEffect;
  readonly rule: Rule;
  /** The rule's text or its sentence; the error, if it failed. */
  readonly why: string;
}
