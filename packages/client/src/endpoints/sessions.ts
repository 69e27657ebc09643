/** /v1/sessions with their messages, events, files and runs; /v1/approvals. */
import { ok, type Result } from "@capstan/core";
import type { Connection, RequestBody } from "../connection.ts";
import { pagedList } from "../every-page.ts";
import { type FollowOptions, followEvents } from "../follow-events.ts";
import type { ChangeApply, FolderChange } from "../wire/changes.ts";
import type { Items, JsonObject, Page } from "../wire/page.ts";
import type { Approval, ApprovalAnswer, ApprovalQuery, Run, RunQuery, SentPrompt } from "../wire/runs.ts";
import type { FoundSession } from "../wire/session-search.ts";
import type {
  BranchPoint,
  Comparison,
  ComparisonCreate,
  Compatibility,
  Message,
  MessageAccepted,
  MessageCreate,
  Session,
  SessionCreate,
  SessionFile,
  SessionFork,
  SessionListing,
  SessionPatch,
  SessionQuery,
  StoredEvent,
  ToolResultCreate,
} from "../wire/sessions.ts";
import type { MessagePin, SessionSummary } from "../wire/summaries.ts";
import type { Trajectory, TrajectoryQuery } from "../wire/trajectories.ts";

const part = encodeURIComponent;
const sessionPath = (id: string, rest = "") => `/v1/sessions/${part(id)}${rest}`;
/** Slashes are kept: they separate path segments. */
const filePath = (id: string, path: string) =>
  sessionPath(id, `/files/${path.replace(/^\/+/, "").split("/").map(part).join("/")}`);

export const sessionEndpoints = (connection: Connection) => {
  const { json } = connection;
  return {
    list: (query: SessionQuery = {}, signal?: AbortSignal) =>
      json<Page<Session>>("GET", "/v1/sessions", { query: { ...query }, signal }),
    /** Full-text search over messages. */
    search: (q: string, signal?: AbortSignal) =>
      json<Page<FoundSession>>("GET", "/v1/sessions/search", { query: { q, limit: 20 }, signal }),
    get: (id: string, signal?: AbortSignal) => json<Session>("GET", sessionPath(id), { signal }),
    create: (session: SessionCreate = {}) => json<Session>("POST", "/v1/sessions", { json: session }),
    update: (id: string, patch: SessionPatch) => json<Session>("PATCH", sessionPath(id), { json: patch }),
    /** What another program would and would not receive; `update` with `continue_in` switches. */
    compatibility: (id: string, query: { in: string; model?: string | undefined }, signal?: AbortSignal) =>
      json<Compatibility>("GET", sessionPath(id, "/compatibility"), { query, signal }),
    /** The same message to several programs or models, each in a branch with its own copy of the files. */
    compare: (id: string, comparison: ComparisonCreate) =>
      json<Comparison>("POST", sessionPath(id, "/comparisons"), { json: comparison }),
    comparison: (id: string, comparisonId: string, signal?: AbortSignal) =>
      json<Comparison>("GET", sessionPath(id, `/comparisons/${part(comparisonId)}`), { signal }),
    /** The conversation continues in this branch; the others and the session itself are archived. */
    keepBranch: (id: string, comparisonId: string, sessionId: string) =>
      json<Session>("POST", sessionPath(id, `/comparisons/${part(comparisonId)}/keep`), {
        json: { session_id: sessionId },
      }),
    /** What the session changed in its agent's real folder. */
    change: (id: string, signal?: AbortSignal) =>
      json<FolderChange>("GET", sessionPath(id, "/changes"), { signal }),
    /** One commit on the branch that is checked out in the folder; needs an admin. */
    applyChange: (id: string, options: ChangeApply = {}) =>
      json<FolderChange>("POST", sessionPath(id, "/changes/apply"), { json: options }),
    discardChange: (id: string) => json<FolderChange>("POST", sessionPath(id, "/changes/discard")),
    delete: (id: string) => json<void>("DELETE", sessionPath(id)),
    send: (id: string, message: MessageCreate) =>
      json<MessageAccepted>("POST", sessionPath(id, "/messages"), { json: message }),
    messages: (
      id: string,
      page: { limit?: number; cursor?: number | undefined; pinned?: "true" | "false" } = {},
      signal?: AbortSignal,
    ) =>
      json<Items<Message> & { next_cursor?: number }>("GET", sessionPath(id, "/messages"), {
        query: page,
        signal,
      }),
    feedback: (id: string, messageId: string, feedback: { value: "up" | "down"; words?: string }) =>
      json<JsonObject>("POST", sessionPath(id, `/messages/${part(messageId)}/feedback`), { json: feedback }),
    /** A page of stored events; `followEvents` also waits for new ones. */
    events: (id: string, query: { after?: number; limit?: number } = {}, signal?: AbortSignal) =>
      json<Items<StoredEvent> & { next?: number | null }>("GET", sessionPath(id, "/events"), {
        query: { format: "json", ...query },
        signal,
      }),
    followEvents: (id: string, options: FollowOptions) => followEvents(connection, id, options),
    cancel: (id: string) =>
      json<{ cancelled: boolean; run_id?: string }>("POST", sessionPath(id, "/cancel"), { json: {} }),
    fork: (id: string, options: SessionFork = {}) =>
      json<Session>("POST", sessionPath(id, "/fork"), { json: options }),
    /** Takes back what was allowed for the rest of the session: one tool, or all. */
    disallow: (id: string, query: { tool?: string | undefined } = {}) =>
      json<Session>("DELETE", sessionPath(id, "/allowed-tools"), { query }),
    /** The branches of the conversation, and their sessions. */
    branches: (id: string, signal?: AbortSignal) =>
      json<Items<BranchPoint>>("GET", sessionPath(id, "/branches"), { signal }),
    /** Summaries of the conversation, oldest first. */
    summaries: (id: string, signal?: AbortSignal) =>
      json<Items<SessionSummary>>("GET", sessionPath(id, "/summaries"), { signal }),
    /** Summarises everything but the last turn now. */
    compact: (id: string) => json<SessionSummary>("POST", sessionPath(id, "/compact")),
    /** Summaries keep a pinned message word for word. */
    pin: (id: string, messageId: string, pin: MessagePin) =>
      json<MessagePin>("PUT", sessionPath(id, `/messages/${part(messageId)}/pin`), { json: pin }),
    export: (id: string, signal?: AbortSignal) =>
      textOf(connection.send("GET", sessionPath(id, "/export"), { signal })),
    /** All of them, oldest first. */
    runs: (id: string, signal?: AbortSignal) =>
      pagedList<Run>(connection, sessionPath(id, "/runs")).all({}, signal),
    /** Results of tools that the client runs itself. */
    toolResults: (id: string, results: ToolResultCreate[]) =>
      json<JsonObject>("POST", sessionPath(id, "/tool-results"), { json: { results } }),
  };
};

export const fileEndpoints = ({ json, send }: Connection) => ({
  list: (sessionId: string, path = "/", signal?: AbortSignal) =>
    json<SessionListing>("GET", path === "/" ? sessionPath(sessionId, "/files") : filePath(sessionId, path), {
      signal,
    }),
  async read(sessionId: string, path: string, signal?: AbortSignal): Promise<Result<Uint8Array>> {
    const sent = await send("GET", filePath(sessionId, path), { signal });
    return sent.ok ? ok(new Uint8Array(await sent.value.arrayBuffer())) : sent;
  },
  write: (
    sessionId: string,
    path: string,
    bytes: RequestBody,
    options: { readonly?: boolean } = {},
    signal?: AbortSignal,
  ) =>
    json<SessionFile>("PUT", filePath(sessionId, path), {
      body: bytes,
      signal,
      headers: { "content-type": "application/octet-stream" },
      query: { readonly: options.readonly || undefined },
    }),
  delete: (sessionId: string, path: string, options: { recursive?: boolean } = {}) =>
    json<{ path: string; deleted: number }>("DELETE", filePath(sessionId, path), {
      query: { recursive: options.recursive || undefined },
    }),
});

export const runEndpoints = ({ json }: Connection) => ({
  /** Newest first. */
  ...pagedList<Run, RunQuery, object>({ json }, "/v1/runs"),
  /** A session as an ATIF trajectory; of one run, if named. */
  trajectory: (sessionId: string, query: TrajectoryQuery = {}, signal?: AbortSignal) =>
    json<Trajectory>("GET", sessionPath(sessionId, "/trajectory"), { query: { ...query }, signal }),
  get: (id: string, signal?: AbortSignal) => json<Run>("GET", `/v1/runs/${part(id)}`, { signal }),
  /** The system prompt and tools sent with a model call of this run. */
  prompt: (id: string, promptId: string, signal?: AbortSignal) =>
    json<SentPrompt>("GET", `/v1/runs/${part(id)}/prompts/${part(promptId)}`, { signal }),
});

export const approvalEndpoints = ({ json }: Connection) => ({
  list: (query: ApprovalQuery = {}, signal?: AbortSignal) =>
    json<Page<Approval>>("GET", "/v1/approvals", { query: { ...query }, signal }),
  get: (id: string, signal?: AbortSignal) => json<Approval>("GET", `/v1/approvals/${part(id)}`, { signal }),
  answer: (id: string, answer: ApprovalAnswer) =>
    json<Approval>("POST", `/v1/approvals/${part(id)}`, { json: answer }),
});

async function textOf(sending: Promise<Result<Response>>): Promise<Result<string>> {
  const sent = await sending;
  return sent.ok ? ok(await sent.value.text()) : sent;
}
