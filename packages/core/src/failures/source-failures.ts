/** Failures of capability sources (documents, OpenAPI, MCP servers, skills) and of the sandbox. */
import { type Fault, faultsText } from "../faults.ts";
import { row } from "./failure.ts";

const LATER = "The service has an internal problem; try again later.";
const SERVICE_STEPS: Readonly<Record<number, string>> = {
  401: "Set or renew the service's key in the agent's config of this capability.",
  403: "The key lacks permission for this; use one with more rights, or ask for something else.",
  404: "Not found; check the ids in the arguments.",
  429: "The service is rate-limiting calls; wait, then try again.",
};

export const sourceFailures = {
  document_invalid: row<{ faults: readonly Fault[] }>({
    status: 422,
    message: ({ faults }) => `The document is not valid: ${faultsText(faults)}.`,
    nextStep: () => "Correct the named fields; docs/sources.md lists them all.",
    details: ({ faults }) => faults,
  }),
  openapi_invalid: row<{ why: string }>({
    status: 422,
    message: ({ why }) => `The OpenAPI document cannot be used: ${why}.`,
    nextStep: () =>
      "Give an OpenAPI 3.0 or 3.1 document as JSON or YAML; docs/sources.md lists what is supported.",
  }),
  mcp_unreachable: row<{ server: string; why: string }>({
    status: 502,
    message: ({ server, why }) => `The MCP server ${server} cannot be reached: ${why}`,
    nextStep: () => "Start it by hand to see its output; check its command or address, and its keys.",
  }),
  mcp_login_unusable: row<{ server: string; why: string }>({
    status: 502,
    message: ({ server, why }) => `${server} requires a login that cannot be used: ${why}.`,
    nextStep: () =>
      "Ask whoever runs the server: docs/connections.md lists what its login must support. Or set a key in the declaration's headers.",
  }),
  mcp_server_died: row<{ server: string; why: string }>({
    status: 502,
    message: ({ server, why }) =>
      `The MCP server ${server} exited during the call${why === "" ? "." : `: ${why}`}`,
    nextStep: () =>
      "Call again; the server is restarted. If it exits again, report it to the server's author.",
  }),
  skill_file_unknown: row<{ skill: string; path: string; files: readonly string[] }>({
    status: 404,
    message: ({ skill, path }) => `The skill "${skill}" has no file "${path}".`,
    nextStep: ({ files }) => `Its files: ${files.slice(0, 20).join(", ") || "SKILL.md"}.`,
  }),
  secret_missing: row<{ name: string }>({
    status: 409,
    message: ({ name }) => `The secret ${name} is not set for this service.`,
    nextStep: ({ name }) =>
      `Set ${name} in the agent's config of this capability, or start the server with CAPSTAN_SECRET_${name} and ` +
      `CAPSTAN_SECRET_HOSTS=${name}=<the service's host>.`,
  }),
  server_value_missing: row<{ name: string }>({
    status: 409,
    message: ({ name }) => `The service's address requires "${name}", which is not set or not valid there.`,
    nextStep: ({ name }) => `Set ${name} in the agent's config of this capability.`,
  }),
  service_refused: row<{ host: string; status: number; excerpt: string; body?: unknown }>({
    status: 502,
    message: ({ host, status, excerpt }) =>
      `${host} answered ${status}${excerpt === "" ? "." : `: ${excerpt}`}`,
    nextStep: ({ status }) =>
      SERVICE_STEPS[status] ?? (status >= 500 ? LATER : "Correct the arguments as described."),
    details: ({ status, excerpt, body }) => ({ status, excerpt, ...(body !== undefined && { body }) }),
  }),
  schema_refused: row<{ where: string; why: string }>({
    status: 422,
    message: ({ where, why }) => `The JSON Schema cannot be used: ${why} (at ${where}).`,
    nextStep: () => "Correct the schema there; references may only point inside the schema.",
  }),
  sandbox_unavailable: row<{ language: string; why: string }>({
    status: 503,
    message: ({ language, why }) => `The sandbox cannot run ${language}: ${why}`,
    nextStep: () => "Install the named package and restart the server, or use another language.",
  }),
  sandbox_busy: row<{ waiting: number }>({
    status: 503,
    message: ({ waiting }) => `The sandbox is busy; ${waiting} runs are queued.`,
    nextStep: () => "Try again in a few seconds.",
  }),
  sandbox_too_large: row<{ what: string; size: number; limit: number }>({
    status: 413,
    message: ({ what, size, limit }) => `${what} is ${size} bytes; the sandbox limit is ${limit}.`,
    nextStep: () => "Send less: shorten the code, or name only the files it needs.",
  }),
  sandbox_broke: row<{ language: string; why: string }>({
    status: 502,
    message: ({ language, why }) => `The sandbox for ${language} did not start: ${why}`,
    nextStep: () => "Try again; `capstan doctor` shows what the sandbox needs.",
  }),
};
