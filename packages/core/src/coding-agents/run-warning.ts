/** A problem that does not stop the run but that its caller should know; the runner emits each as a warning event. */

export type RunWarningCode =
  | "thinking_lowered"
  | "thinking_not_carried"
  | "thinking_unchecked"
  | "model_unknown"
  | "model_deprecated"
  | "model_ambiguous"
  | "model_replaced"
  | "thinking_unused"
  | "cost_unknown";

export interface RunWarning {
  readonly code: RunWarningCode;
  readonly message: string;
}
