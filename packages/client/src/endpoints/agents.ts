/** /v1/agents and /v1/capabilities. */
import type { Connection } from "../connection.ts";
import { everyPage, LARGEST_PAGE, pagedList } from "../every-page.ts";
import type {
  Agent,
  AgentCreate,
  AgentPatch,
  AgentPreview,
  AgentQuery,
  AgentToken,
  AgentTokenCreate,
} from "../wire/agents.ts";
import type {
  CapabilityDetail,
  CapabilityFilter,
  CapabilitySummary,
  CapabilityTestCreate,
  CapabilityTestReport,
  CapabilityVersion,
  ToolAnswer,
  ToolRun,
} from "../wire/capabilities.ts";
import type { Items, JsonObject, Page } from "../wire/page.ts";
import type {
  AgentLabel,
  LabelChange,
  Revision,
  RevisionRestore,
  RevisionSummary,
} from "../wire/revisions.ts";

import type { AgentSharingWire } from "../wire/sharing.ts";

type Counted<T> = Page<T> & { total: number };

export const capabilityEndpoints = ({ json }: Connection) => {
  const list = (filter: CapabilityFilter = {}, signal?: AbortSignal) =>
    json<Counted<CapabilitySummary>>("GET", "/v1/capabilities", { query: { ...filter }, signal });
  return {
    list,
    /** Paged. */
    all: (filter: CapabilityFilter = {}, signal?: AbortSignal) =>
      everyPage((cursor) => list({ ...filter, limit: LARGEST_PAGE, cursor }, signal)),
    get: (id: string, signal?: AbortSignal) =>
      json<CapabilityDetail>("GET", `/v1/capabilities/${part(id)}`, { signal }),
    versions: (id: string, signal?: AbortSignal) =>
      json<Items<CapabilityVersion>>("GET", `/v1/capabilities/${part(id)}/versions`, { signal }),
    /** Calls one tool through the gate; returns its output, or the approval it is waiting for. */
    runTool: (id: string, tool: string, run: ToolRun, signal?: AbortSignal) =>
      json<ToolAnswer>("POST", `/v1/capabilities/${part(id)}/tools/${part(tool)}`, { json: run, signal }),
    /** Makes its recorded calls again, as far as they only read. */
    test: (id: string, options: CapabilityTestCreate = {}, signal?: AbortSignal) =>
      json<CapabilityTestReport>("POST", `/v1/capabilities/${part(id)}/test`, { json: options, signal }),
  };
};

/** A change that would break other agents is refused, with their names, unless forced. */
export interface Forced {
  readonly force?: boolean | undefined;
}

export const forced = ({ force }: Forced) => ({ force: force || undefined });

export const agentEndpoints = ({ json }: Connection) => ({
  list: (query: AgentQuery = {}, signal?: AbortSignal) => agentPage(json, query, signal),
  /** Paged. */
  all: (query: AgentQuery = {}, signal?: AbortSignal) =>
    everyPage((cursor) => agentPage(json, { ...query, limit: LARGEST_PAGE, cursor }, signal)),
  get: (id: string, signal?: AbortSignal) => json<Agent>("GET", `/v1/agents/${part(id)}`, { signal }),
  create: (agent: AgentCreate) => json<Agent>("POST", "/v1/agents", { json: agent }),
  update: (id: string, patch: AgentPatch) => json<Agent>("PATCH", `/v1/agents/${part(id)}`, { json: patch }),
  delete: (id: string, options: Forced = {}) =>
    json<void>("DELETE", `/v1/agents/${part(id)}`, { query: forced(options) }),
  preview: (id: string, signal?: AbortSignal) =>
    json<AgentPreview>("GET", `/v1/agents/${part(id)}/preview`, { signal }),
  previewUnsaved: (agent: AgentPatch, signal?: AbortSignal) =>
    json<AgentPreview>("POST", "/v1/agents/preview", { json: agent, signal }),
  /** Refuses whatever saving this agent would refuse; saves nothing. */
  checkUnsaved: (agent: AgentPatch) =>
    json<AgentPreview>("POST", "/v1/agents/preview", { json: agent, query: { check: "save" } }),
  /** Newest first. */
  revisions: (id: string, signal?: AbortSignal) =>
    pagedList<RevisionSummary>({ json }, `/v1/agents/${part(id)}/revisions`).all({}, signal),
  /** One revision, compared with the one before or with another. */
  revision: (id: string, number: number, against?: number, signal?: AbortSignal) =>
    json<Revision>("GET", `/v1/agents/${part(id)}/revisions/${number}`, { query: { against }, signal }),
  restore: (id: string, number: number, options: RevisionRestore = {}) =>
    json<Agent>("POST", `/v1/agents/${part(id)}/revisions/${number}/restore`, { json: options }),
  labels: (id: string, signal?: AbortSignal) =>
    json<Items<AgentLabel>>("GET", `/v1/agents/${part(id)}/labels`, { signal }),
  /** Promotes, rolls back, or gives a canary its share. */
  label: (id: string, change: LabelChange) =>
    json<Items<AgentLabel>>("POST", `/v1/agents/${part(id)}/labels`, { json: change }),
  /** Who the agent is shared with; only its owner and admins see and change it. */
  shares: (id: string, signal?: AbortSignal) =>
    json<AgentSharingWire>("GET", `/v1/agents/${part(id)}/shares`, { signal }),
  share: (id: string, sharing: AgentSharingWire) =>
    json<AgentSharingWire>("PUT", `/v1/agents/${part(id)}/shares`, { json: sharing }),
  tokens: (id: string, signal?: AbortSignal) =>
    pagedList<AgentToken>({ json }, `/v1/agents/${part(id)}/tokens`).all({}, signal),
  /** The only response that contains the token itself. */
  createToken: (id: string, token: AgentTokenCreate) =>
    json<AgentToken & { token: string }>("POST", `/v1/agents/${part(id)}/tokens`, { json: token }),
  /** The AG-UI capabilities document; `observed` adds what runs have shown. */
  capabilities: (id: string, options: { observed?: boolean; signal?: AbortSignal } = {}) =>
    json<JsonObject>("GET", `/v1/agents/${part(id)}/ag-ui/capabilities`, {
      query: { observed: options.observed || undefined },
      signal: options.signal,
    }),
});

const part = encodeURIComponent;

const agentPage = (json: Connection["json"], query: AgentQuery, signal?: AbortSignal) =>
  json<Counted<Agent>>("GET", "/v1/agents", { query: { ...query }, signal });
