/** /v1/agents and /v1/capabilities. */
import type { Connection } from "../connection.ts";
import type {
  Agent,
  AgentCreate,
  AgentPatch,
  AgentPreview,
  CapabilityDetail,
  CapabilitySummary,
  ToolAnswer,
  ToolRun,
} from "../wire/agents.ts";
import type { Items, JsonObject, Page, PageQuery } from "../wire/page.ts";

export interface CapabilityFilter {
  readonly status?: string | undefined;
  readonly category?: string | undefined;
  readonly source?: string | undefined;
  readonly q?: string | undefined;
}

type List<T> = Items<T> & { total: number };

export const capabilityEndpoints = ({ json }: Connection) => ({
  list: (filter: CapabilityFilter = {}, signal?: AbortSignal) =>
    json<List<CapabilitySummary>>("GET", "/v1/capabilities", { query: { ...filter }, signal }),
  get: (id: string, signal?: AbortSignal) =>
    json<CapabilityDetail>("GET", `/v1/capabilities/${part(id)}`, { signal }),
  /** One tool by itself, through the gate; the answer is its output, or the approval it waits for. */
  runTool: (id: string, tool: string, run: ToolRun, signal?: AbortSignal) =>
    json<ToolAnswer>("POST", `/v1/capabilities/${part(id)}/tools/${part(tool)}`, { json: run, signal }),
});

export const agentEndpoints = ({ json }: Connection) => ({
  list: (page: PageQuery = {}, signal?: AbortSignal) =>
    json<Page<Agent> & { total: number }>("GET", "/v1/agents", { query: { ...page }, signal }),
  get: (id: string, signal?: AbortSignal) => json<Agent>("GET", `/v1/agents/${part(id)}`, { signal }),
  create: (agent: AgentCreate) => json<Agent>("POST", "/v1/agents", { json: agent }),
  update: (id: string, patch: AgentPatch) => json<Agent>("PATCH", `/v1/agents/${part(id)}`, { json: patch }),
  delete: (id: string) => json<void>("DELETE", `/v1/agents/${part(id)}`),
  preview: (id: string, signal?: AbortSignal) =>
    json<AgentPreview>("GET", `/v1/agents/${part(id)}/preview`, { signal }),
  previewUnsaved: (agent: AgentPatch, signal?: AbortSignal) =>
    json<AgentPreview>("POST", "/v1/agents/preview", { json: agent, signal }),
  /** Refuses whatever saving this agent would; nothing is saved. */
  checkUnsaved: (agent: AgentPatch) =>
    json<AgentPreview>("POST", "/v1/agents/preview", { json: agent, query: { check: "save" } }),
  /** The AG-UI capabilities document; `observed` adds what runs have shown. */
  capabilities: (id: string, options: { observed?: boolean; signal?: AbortSignal } = {}) =>
    json<JsonObject>("GET", `/v1/agents/${part(id)}/ag-ui/capabilities`, {
      query: { observed: options.observed || undefined },
      signal: options.signal,
    }),
});

const part = encodeURIComponent;
