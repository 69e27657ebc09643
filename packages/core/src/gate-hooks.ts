/** How a capability influences calls: hooks run inside the gate in position order. They can tighten, never loosen. */
import type { Failure } from "./failures/failure.ts";
import type { JsonValue } from "./schema.ts";

export interface HookCall {
  readonly tool: string;
  readonly capabilityId: string;
  readonly input: unknown;
  readonly user: string;
  readonly sessionId?: string;
}

/** A hook's verdict before a call: allow, require approval, refuse. */
export type HookVerdict =
  | { readonly decision: "pass" }
  | {
      readonly decision: "approve";
      readonly why: string;
      /** Only an admin may approve; otherwise the user. */
      readonly whom?: "admin";
    }
  | { readonly decision: "deny"; readonly why: string };

/** Text that a model said to its user. */
export interface HookText {
  readonly text: string;
  readonly user: string;
  readonly sessionId: string;
}

/** A hook's verdict on text: send it, send other text instead, withhold it, or let a person read it first. */
export type TextVerdict =
  | { readonly decision: "pass" }
  | { readonly decision: "mask"; readonly text: string }
  | { readonly decision: "block" | "ask"; readonly why: string };

export interface GateHooks {
  /** Before an answer is stored and sent. The answer is then sent at once, not piece by piece. A hook that throws blocks. */
  beforeText?(said: HookText): TextVerdict | Promise<TextVerdict>;
  beforeCall?(call: HookCall): HookVerdict | Promise<HookVerdict>;
  /** May replace the output (to redact, to shorten) or withhold it with a failure. */
  afterCall?(
    call: HookCall,
    output: JsonValue,
  ):
    | { readonly output: JsonValue }
    | { readonly failure: Failure }
    | Promise<{ readonly output: JsonValue } | { readonly failure: Failure }>;
}
