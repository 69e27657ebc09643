/** Failures of the guarded network. */
import { row } from "./failure.ts";

export const networkFailures = {
  url_invalid: row<{ url: string }>({
    status: 422,
    message: ({ url }) => `"${url}" is not a URL that can be fetched.`,
    nextStep: () => "Give a full address that starts with http:// or https://.",
  }),
  url_refused: row<{ url: string; why: string }>({
    status: 403,
    message: ({ url, why }) => `The network guard refuses ${url}: ${why}`,
    nextStep: () => "Use a public address, or ask an operator to add the host to CAPSTAN_ALLOW_HOSTS.",
  }),
  network_error: row<{ url: string; why: string }>({
    status: 502,
    message: ({ url, why }) => `${url} could not be fetched: ${why}`,
    nextStep: () => "Check the address; try again later.",
  }),
  first_byte_timeout: row<{ url: string; timeoutMs: number }>({
    status: 504,
    message: ({ timeoutMs }) => `server did not respond within ${seconds(timeoutMs)}`,
    nextStep: ({ url }) => `Try ${url} again later, or use another source.`,
  }),
  response_timeout: row<{ url: string; timeoutMs: number }>({
    status: 504,
    message: ({ url, timeoutMs }) => `${url} did not send its full response within ${seconds(timeoutMs)}.`,
    nextStep: () => "Ask for less at once, or try again later.",
  }),
  redirect_refused: row<{ url: string; location: string; why: string }>({
    status: 403,
    message: ({ url, location, why }) => `${url} redirects to ${location}, which was not followed: ${why}`,
    nextStep: () => "Use the final address directly if you trust it.",
  }),
};

function seconds(timeoutMs: number): string {
  return timeoutMs === 1_000 ? "1 second" : `${timeoutMs / 1_000} seconds`;
}
