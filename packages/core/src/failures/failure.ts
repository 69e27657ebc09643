/** One failure: what happened, and what to do next. The rows are in this folder, one file per area. */

/** Part of every refusal, error response and failed tool call. `status` is the HTTP status it maps to. */
export interface Failure {
  readonly code: string;
  readonly status: number;
  readonly message: string;
  readonly nextStep: string;
  /** Structured facts for programs, such as the path of each fault in a body. */
  readonly details?: unknown;
}

/** One row of the failures table: the texts of a code, given its facts. */
export interface FailureRow<Facts> {
  readonly status: number;
  readonly message: (facts: Facts) => string;
  readonly nextStep: (facts: Facts) => string;
  readonly details?: (facts: Facts) => unknown;
}

export const row = <Facts>(definition: FailureRow<Facts>): FailureRow<Facts> => definition;
