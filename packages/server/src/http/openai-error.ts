/** A failure in OpenAI's format: `{ error: { message, type, param, code } }`, with the next step in the message. */
import type { Failure } from "@capstan/core";

export interface OpenAiError {
  readonly error: {
    readonly message: string;
    readonly type: string;
    readonly param: string | null;
    readonly code: string;
  };
}

export const openAiError = ({ message, nextStep, status, code }: Failure): OpenAiError => ({
  error: {
    message: nextStep ? `${/[.!?]$/.test(message) ? message : `${message}.`} ${nextStep}` : message,
    type: typeOf(status),
    param: null,
    code,
  },
});

const TYPES: Readonly<Record<number, string>> = {
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  409: "conflict_error",
  429: "rate_limit_error",
};

const typeOf = (status: number): string =>
  TYPES[status] ?? (status >= 500 ? "server_error" : "invalid_request_error");
