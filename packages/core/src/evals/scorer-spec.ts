/** Scorers that are declared, as they are stored and sent: fields have the API's names. */
import type { JsonSchema, JsonValue } from "../schema.ts";
import type { TextKind } from "../text-checks/text-check.ts";

export const CALL_ORDERS = ["in_order", "any_order", "at_least", "never"] as const;
export type CallOrder = (typeof CALL_ORDERS)[number];

/** An expected call. Only the named fields of `input` are compared. */
export interface ExpectedCall {
  readonly tool: string;
  readonly input?: JsonValue | undefined;
}

interface Common {
  /** The name of its scores. Default: its type. */
  readonly name?: string | undefined;
  /** A score of at least this passes. Default: 1. */
  readonly pass_at?: number | undefined;
}

export type PlainScorerSpec = Common &
  (
    | {
        readonly type: "exact";
        readonly value?: JsonValue | undefined;
        readonly ignore_case?: boolean | undefined;
      }
    | {
        readonly type: "contains";
        readonly all?: readonly string[] | undefined;
        readonly none?: readonly string[] | undefined;
        readonly ignore_case?: boolean | undefined;
      }
    | { readonly type: "json"; readonly path: string; readonly equals?: JsonValue | undefined }
    | { readonly type: "schema"; readonly schema: JsonSchema }
    | { readonly type: "trajectory"; readonly order: CallOrder; readonly calls: readonly ExpectedCall[] }
    | { readonly type: "cost"; readonly most_usd: number }
    | { readonly type: "time"; readonly most_ms: number }
    | { readonly type: "refusal"; readonly expected?: boolean | undefined }
    | {
        readonly type: "no_leak";
        readonly kinds?: readonly TextKind[] | undefined;
        readonly words?: readonly string[] | undefined;
      }
  );

export type JudgeSpec = Common & {
  readonly type: "judge";
  /** What a good answer is. */
  readonly prompt: string;
  /** `provider/model`; default: the server's. */
  readonly model?: string | undefined;
  readonly votes?: number | undefined;
};
export type HumanSpec = Common & { readonly type: "human"; readonly question: string };
/** A scorer of `capstan.config.ts`, by its name. */
export type CodeSpec = Common & { readonly type: "code"; readonly scorer: string };

export type ScorerSpec = PlainScorerSpec | JudgeSpec | HumanSpec | CodeSpec;

export const scorerName = (spec: ScorerSpec): string =>
  spec.name ?? (spec.type === "code" ? spec.scorer : spec.type);

const PASSES = 1;

export const isPassed = (spec: ScorerSpec, score: number): boolean => score >= (spec.pass_at ?? PASSES);
