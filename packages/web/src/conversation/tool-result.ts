/** Results are text. A refusal or failure is an object with our code, message and next step. */
export interface ToolFailure {
  readonly code: string;
  readonly message: string;
  readonly nextStep?: string;
}

export function failureIn(text: string): ToolFailure | undefined {
  if (!text.startsWith("{")) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    if (value === null || typeof value !== "object") return undefined;
    const { code, message, nextStep, next_step } = value as Record<string, unknown>;
    if (typeof code !== "string" || typeof message !== "string") return undefined;
    const next = nextStep ?? next_step;
    return typeof next === "string" ? { code, message, nextStep: next } : undefined;
  } catch {
    return undefined;
  }
}

export const isFailureText = (text: string): boolean => failureIn(text) !== undefined;

export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
