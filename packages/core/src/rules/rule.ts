/**
 * Rules: which calls are allowed, require approval or are denied, by tool, arguments, user and what the run
 * has read. Deny beats ask beats allow; without a matching rule the tool's own policy applies.
 */
import type { ApprovalExpiry } from "../agent.ts";
import type { CallPath } from "../authority/call-authority.ts";
import type { DataFlow, DataLabel } from "../data-flow/data-flow.ts";

export const RULE_EFFECTS = ["allow", "ask", "deny"] as const;
export type RuleEffect = (typeof RULE_EFFECTS)[number];

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
  /** Left out for `exists` and `missing`. */
  readonly value?: RuleValue | undefined;
}

export const RULE_DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;
export type RuleDay = (typeof RULE_DAYS)[number];

/** A part of the day, such as 08:00 to 18:00; one that ends before it starts goes over midnight. */
export interface RuleTime {
  readonly from: string;
  readonly to: string;
  /** The day in the zone; without it, every day. */
  readonly days?: readonly RuleDay[] | undefined;
  /** An IANA zone; without it, UTC. */
  readonly zone?: string | undefined;
}

export type RuleCondition =
  | ArgumentCondition
  | { readonly seen: DataLabel }
  | { readonly user: string | readonly string[] }
  | { readonly path: CallPath | readonly CallPath[] }
  | { readonly time: RuleTime }
  /** A CEL expression over `args`, `user`, `agent`, `tool`, `seen` and `now`. */
  | { readonly expr: string };

/** Whom a rule asks, and what happens without an answer; what is absent is as the agent says. */
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
  /** The user whose calls it is for; without it, everybody's. Written by that user, it can ask or deny, never allow. */
  readonly owner?: string | undefined;
  /** Tool names, `prefix*`, `*`, or one of `TOOL_KINDS`, such as `capability:<id>` and `writes:external`. */
  readonly tools: readonly string[];
  /** All must hold; none means always. */
  readonly when: readonly RuleCondition[];
  readonly effect: RuleEffect;
  /** Only with the effect `ask`. */
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
  readonly user: string;
  readonly agentId: string;
  /** How it reached the gate. */
  readonly path: CallPath;
  /** What the tool reads and writes. */
  readonly flow: DataFlow;
  /** What the session had read before this call. */
  readonly seen: readonly DataLabel[];
  /** An operator chose this call beforehand: default rules do not apply. */
  readonly isArranged?: boolean;
  readonly now: Date;
}

export interface RuleDecision {
  readonly effect: RuleEffect;
  readonly rule: Rule;
  /** The rule's words, or its sentence; what broke, when it broke. */
  readonly why: string;
}
