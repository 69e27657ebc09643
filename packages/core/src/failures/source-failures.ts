/** Failures of where capabilities come from (documents, OpenAPI, MCP servers, skills), and of the sandbox. */
import { row } from "./failure.ts";

export const sourceFailures = {
  schema_refused: row<{ where: string; why: string }>({
    status: 422,
    message: ({ where, why }) => `The JSON Schema cannot be used: ${why} (at ${where}).`,
    nextStep: () => "Correct the schema at the named place; it may refer only to its own parts.",
  }),
  sandbox_unavailable: row<{ language: string; why: string }>({
    status: 503,
    message: ({ language, why }) => `The sandbox cannot run ${language}: ${why}`,
    nextStep: () => "Install the named package and restart the server, or use another language.",
  }),
  sandbox_busy: row<{ waiting: number }>({
    status: 503,
    message: ({ waiting }) => `The sandbox is busy; ${waiting} runs are waiting.`,
    nextStep: () => "Try again in a few seconds.",
  }),
  sandbox_too_large: row<{ what: string; size: number; limit: number }>({
    status: 413,
    message: ({ what, size, limit }) => `${what} has ${size} bytes; the sandbox takes ${limit}.`,
    nextStep: () => "Send less: shorten the code, or name only the files it needs.",
  }),
  sandbox_broke: row<{ language: string; why: string }>({
    status: 502,
    message: ({ language, why }) => `The sandbox for ${language} did not start: ${why}`,
    nextStep: () => "Try again; `capstan doctor` shows what the sandbox needs.",
  }),
};
