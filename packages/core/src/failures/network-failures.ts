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
    nextStep: () => "Use a public address, or have an operator add the host to CAPSTAN_ALLOW_HOSTS.",
  }),
  network_error: row<{ url: string; why: string }>({
    status: 502,
    message: ({ url, why }) => `${url} could not be fetched: ${why}`,
    nextStep: () => "Check the address; try again later.",
  }),
};
