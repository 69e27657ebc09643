/** Failures of the built-in capabilities' own tools. */
import { row } from "./failure.ts";

export const builtinFailures = {
  webhook_undelivered: row<{ url: string; why: string }>({
    status: 502,
    message: ({ url, why }) => `The event was not delivered to ${url}: ${why}.`,
    nextStep: () =>
      "Check the address and its receiver, then send it again; webhook.events lists the attempt.",
  }),
  timezone_unknown: row<{ timezone: string; nearest: readonly string[] }>({
    status: 422,
    message: ({ timezone }) => `Unknown time zone "${timezone}".`,
    nextStep: ({ nearest }) =>
      nearest.length > 0
        ? `Did you mean ${nearest.map((name) => `"${name}"`).join(" or ")}?`
        : 'Use an IANA name such as "UTC" or "America/New_York".',
  }),
  calculation_failed: row<{ why: string }>({
    status: 422,
    message: ({ why }) => `The calculation has no result: ${why}.`,
    nextStep: () => "Use other numbers.",
  }),
  content_not_base64: row<{ path: string }>({
    status: 422,
    message: ({ path }) => `The content for ${path} is not base64.`,
    nextStep: () => 'Encode the bytes as base64, or send text with encoding "text".',
  }),
  note_not_found: row<{ id: string; notes: readonly string[] }>({
    status: 404,
    message: ({ id }) => `There is no note "${id}" on the scratchpad.`,
    nextStep: ({ notes }) =>
      notes.length > 0 ? `The notes are ${notes.join(", ")}.` : "Write one with research_note first.",
  }),
  scratchpad_full: row<{ limit: number }>({
    status: 409,
    message: ({ limit }) => `The scratchpad already holds ${limit} notes, its limit.`,
    nextStep: () => "Delete or merge notes with research_organize.",
  }),
  search_failed: row<{ provider: string; why: string }>({
    status: 502,
    message: ({ provider, why }) => `The search with ${provider} failed: ${why}`,
    nextStep: () => "Search with other words, try again later, or fetch a known page with web_fetch.",
  }),
};
