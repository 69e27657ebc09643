/** Failures of the area "http": a request that cannot be read, before it reaches a route. */
import { row } from "./failure.ts";

export const httpFailures = {
  query_unreadable: row<{ why: string }>({
    status: 400,
    message: ({ why }) => `The query string cannot be read: ${why}.`,
    nextStep: () => "Percent-encode each name and value as UTF-8, as `encodeURIComponent` does.",
  }),
  request_unreadable: row<{ why: string }>({
    status: 400,
    message: ({ why }) => `The HTTP request cannot be parsed: ${why}.`,
    nextStep: () =>
      "Send HTTP/1.1 with complete headers and without TLS; TLS belongs in a proxy in front of the server.",
  }),
  method_unknown: row<{ method: string }>({
    status: 501,
    message: ({ method }) => `This server does not support the method "${method}".`,
    nextStep: () => "Use GET, HEAD, POST, PUT, PATCH or DELETE; /docs lists every route.",
  }),
  expectation_failed: row<{ given: string }>({
    status: 417,
    message: ({ given }) => `The header "expect" asks for "${given}", which this server does not support.`,
    nextStep: () => "Leave the header out, or send `expect: 100-continue`.",
  }),
  headers_too_large: row<{ limitBytes: number }>({
    status: 431,
    message: ({ limitBytes }) => `The headers are longer than ${limitBytes} bytes.`,
    nextStep: () => "Send fewer or shorter headers, and put long values in the body.",
  }),
  request_too_slow: row<Record<string, never>>({
    status: 408,
    message: () => "The request did not arrive in time.",
    nextStep: () => "Send the complete request again.",
  }),
};
