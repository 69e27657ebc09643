/** One server-sent event of a simulated answer; a protocol's file turns a plan into a list of them. */
import type { SimPlan } from "./sim-plan.ts";
import type { SimRequest } from "./sim-request.ts";

export interface SimFrame {
  readonly event?: string;
  readonly data: unknown;
  /** A piece of text or reasoning, after a pause if the sim has one. */
  readonly isPaced?: boolean;
}

export type SimAnswer = Extract<SimPlan, { kind: "answer" }>;

export interface SimDialect {
  readonly frames: (answer: SimAnswer, request: SimRequest, serial: number) => SimFrame[];
  /** The answer to a request that did not ask for a stream. */
  readonly whole: (answer: SimAnswer, request: SimRequest, serial: number) => unknown;
  readonly error: (status: number, type: string, message: string) => unknown;
}

const SLOW_WORDS = 60; // half a minute at half a second each: longer than any test waits before it interrupts

/** The text in the pieces in which it is sent; half a character is not valid JSON to every program. */
export function pieces(text: string, size: number): string[] {
  return text.match(new RegExp(`.{1,${size}}`, "gsu")) ?? [];
}
export const textPieces = ({ text, isSlow }: SimAnswer): string[] =>
  isSlow ? Array.from({ length: SLOW_WORDS }, (_, index) => `word${index} `) : pieces(text, 8);
