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
  | { readonly decision: "approve" | "deny"; readonly why: string };

export interface GateHooks {
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
