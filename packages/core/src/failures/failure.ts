/** One failure: what happened, and what the reader does next. The rows live beside this file, one file per area. */

/** What every refusal, error answer and failed tool call carries. `status` is the HTTP status it maps to. */
export interface Failure {
  readonly code: string;
  readonly status: number;
  readonly message: string;
  readonly nextStep: string;
  /** Structured facts for programs, such as the paths of each fault in a body. */
  readonly details?: unknown;
}

/** One row of the failures table: how a code reads, given its facts. */
export interface FailureRow<Facts> {
  readonly status: number;
  readonly message: (facts: Facts) => string;
  readonly nextStep: (facts: Facts) => string;
  readonly details?: (facts: Facts) => unknown;
}

export const row = <Facts>(definition: FailureRow<Facts>): FailureRow<Facts> => definition;
