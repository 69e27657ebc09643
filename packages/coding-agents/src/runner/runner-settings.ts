/** The runner's limits and timeouts. All can be set per client. */
export interface RunnerSettings {
  /** Grace period of an interrupted agent to end its turn. */
  readonly interruptGraceMs: number;
  /** Grace period of a terminated one, before it is killed. */
  readonly terminateGraceMs: number;
  /** Time to exit after it reported how the run ended. */
  readonly exitGraceMs: number;
  readonly maxLineBytes: number;
  readonly maxOutputBytes: number;
  /** For runs without a `timeoutMs`. */
  readonly defaultTimeoutMs: number;
}

export const RUNNER_SETTINGS: RunnerSettings = {
  interruptGraceMs: 5_000, // Claude writes its session and a result within one second
  terminateGraceMs: 3_000,
  exitGraceMs: 5_000,
  maxLineBytes: 16_000_000, // an image of 10 MB in base64, with its envelope
  maxOutputBytes: 256_000_000, // a day of chatter; more is a loop
  defaultTimeoutMs: 3_600_000, // an hour: longer work says so
};
