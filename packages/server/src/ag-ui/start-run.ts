/** Does what a request asked for, and says which events answer it. */
import type { RunAgentInput } from "@ag-ui/core";
import { fail, type JsonValue, ok, type Refused, type Result } from "@capstan/core";
import {
  type AgentStore,
  type Database,
  type EventBatch,
  type PendingQuestions,
  pendingQuestions,
  type ReasoningEffort,
  type Runs,
  type SendOptions,
  type SessionStore,
} from "@capstan/runtime";
import { z } from "zod";
import { keptUploads, type UploadParts } from "../sessions/kept-uploads.ts";
import { lookAgain, type Standing } from "./look-again.ts";
import { type Asked, askedFor, isFirstMessage } from "./run-input.ts";
import { newThread, type OpenThread, openThread } from "./thread-session.ts";

/** Where the answer begins, which run's events are it, and what a client should be told first. */
export interface Answering {
  readonly runId?: string;
  readonly events: AsyncIterable<EventBatch>;
  /** Before the first of them. */
  readonly after: number;
  readonly warnings: readonly string[];
  /** Shown first to a client that comes back; with how the run ended, if it did. */
  readonly standing?: Standing;
}

const Sampling = z.strictObject({
  temperature: z.number().min(0).max(2).optional(),
  topP: z.number().min(0).max(1).optional(),
  maxOutputTokens: z.int().min(1).optional(),
  seed: z.int().optional(),
  presencePenalty: z.number().min(-2).max(2).optional(),
  frequencyPenalty: z.number().min(-2).max(2).optional(),
  stopSequences: z.array(z.string()).max(16).optional(),
});

const Forwarded = z
  .object({
    model: z
      .string()
      .regex(/^[\w.-]+\/.+$/)
      .optional()
      .catch(undefined),
    reasoning: z
      .enum(["none", "minimal", "low", "medium", "high", "xhigh", "max"])
      .optional()
      .catch(undefined),
    outputSchema: z.record(z.string(), z.unknown()).optional().catch(undefined),
    toolChoice: z.union([z.enum(["none", "required"]), z.object({ name: z.string() })]).optional(),
    sampling: Sampling.optional(),
    webhook: z
      .object({ url: z.url({ protocol: /^https?$/ }) })
      .optional()
      .catch(undefined),
  })
  .catch({});

export interface Asking {
  readonly agentId: string;
  readonly by: string;
  readonly input: RunAgentInput;
  readonly signal: AbortSignal;
}

export interface StartRunParts extends UploadParts {
  readonly agents: AgentStore;
  readonly sessions: SessionStore;
  readonly runs: Runs;
  readonly database: Database;
}

/**
 * A lone message is taken for the first of a new thread, which saves a look; if it is not, or is refused, the thread is
 * looked at. So is a thread that another request makes at the same moment.
 */
export async function startRun(
  services: StartRunParts,
  asking: Asking,
): Promise<Result<Answering & { readonly sessionId: string }>> {
  const { agentId, by, input } = asking;
  const thread = { agentId: agentId.toLowerCase(), owner: by, threadId: input.threadId };
  if (isFirstMessage(input)) {
    const opened = newThread(thread);
    const started = await startIn(services, opened, asking);
    if (started.ok) return ok({ ...started.value, sessionId: opened.session.id });
  }
  const messageId = input.messages.findLast(({ role }) => role === "user")?.id ?? "";
  for (let again = false; ; again = true) {
    const opened = await openThread(services, thread, messageId);
    if (!opened.ok) return opened;
    const { session, view } = opened.value;
    const started = await startIn(services, opened.value, asking);
    if (started.ok) return ok({ ...started.value, sessionId: session.id });
    const raced = started.failure.code === "not_found" && view.isNew && !again;
    if (!raced) return started;
  }
}

async function startIn(
  services: StartRunParts,
  { session, view }: OpenThread,
  { agentId, by, input, signal }: Asking,
): Promise<Result<Answering>> {
  const asked = askedFor(input, new Set(view.conversation?.map(({ id }) => id)));
  const starting = { services, session, view, input, by, signal };
  if (asked.kind !== "message") {
    const agent = await services.agents.get(agentId);
    if (!agent.ok) return agent;
    if (view.isNew) await makeSession(starting);
  }
  const pending =
    view.active?.status === "waiting" ? await pendingQuestions(services, session.id) : { approvals: [] };
  if (asked.kind === "resume") return resume(starting, asked.entries, pending);
  const uncovered = pending.approvals.length > 0 && asked.kind !== "look";
  if (uncovered) return fail("resume_required", { open: pending.approvals.map(({ id }) => id) });
  if (asked.kind === "message") return sendMessage(starting, asked);
  if (asked.kind === "tool-results") return sendResults(starting, asked);
  return look(starting);
}

interface Starting extends OpenThread {
  readonly services: StartRunParts;
  readonly input: RunAgentInput;
  readonly by: string;
  readonly signal: AbortSignal;
}

async function sendMessage(
  starting: Starting,
  asked: Extract<Asked, { kind: "message" }>,
): Promise<Result<Answering>> {
  const { services, session, view, input, signal } = starting;
  const early = view.isNew && asked.content.some(({ type }) => type === "file"); // its files need the session's row
  if (early) await makeSession(starting);
  const content = await keptUploads(services, session, asked.id, asked.content);
  const sent = await services.runs.sendAndFollow(
    session.id,
    { id: asked.id, content },
    sendOptions(input, asked.earlier),
    signal,
    early ? undefined : view,
  );
  if (!sent.ok) return sent;
  const { runId, events, status, afterSeq = 0 } = sent.value;
  return status === "known" ? look(starting) : ok({ runId, events, after: afterSeq, warnings: [] });
}

async function makeSession({
  services,
  session,
  view,
}: OpenThread & { services: StartRunParts }): Promise<void> {
  const { id, agentId, owner } = session;
  await services.sessions.create({
    id,
    agentId: agentId ?? undefined,
    owner,
    metadata: { ...view.metadata },
  });
}

function sendOptions(input: RunAgentInput, earlier: string): SendOptions {
  const { model, reasoning, outputSchema, webhook, sampling, toolChoice } = Forwarded.parse(
    input.forwardedProps ?? {},
  );
  const before =
    earlier === "" ? [] : [{ description: "Earlier messages of this conversation", value: earlier }];
  const hasState = input.state !== undefined && input.state !== null && Object.keys(input.state).length > 0;
  return {
    model,
    reasoning: reasoning as ReasoningEffort | undefined,
    outputSchema,
    sampling,
    toolChoice,
    webhookUrl: webhook?.url,
    clientTools: input.tools.map(({ name, description, parameters }) => ({ name, description, parameters })),
    context: [...before, ...input.context],
    ...(hasState && { state: input.state as JsonValue }),
  };
}

async function sendResults(
  starting: Starting,
  asked: Extract<Asked, { kind: "tool-results" }>,
): Promise<Result<Answering>> {
  const { services, session, signal } = starting;
  const after = await services.runs.lastSeq(session.id);
  const stored = await services.runs.clientResults(session.id, asked.results);
  if (!stored.ok) return stored.failure.code === "run_not_active" ? look(starting) : stored;
  const { runId, resumed, afterSeq = after } = stored.value;
  if (!resumed) return look(starting);
  const events = services.runs.events(session.id, afterSeq, signal);
  return ok({ runId, events, after: afterSeq, warnings: [] });
}

/** Answers what is asked about; what is not open any more was answered before, and is not done twice. */
async function resume(
  starting: Starting,
  entries: NonNullable<RunAgentInput["resume"]>,
  { approvals: pending, runId }: PendingQuestions,
): Promise<Result<Answering>> {
  const { services, session, by, signal } = starting;
  const open = new Set(pending.map(({ id }) => id));
  const covered = entries.filter(({ interruptId }) => open.has(interruptId));
  const warnings = entries
    .filter(({ interruptId }) => !open.has(interruptId))
    .map(({ interruptId }) => `nothing waits for "${interruptId}" any more`);
  if (covered.length < pending.length) return fail("resume_required", { open: pending.map(({ id }) => id) });
  if (covered.length === 0) return withWarnings(await look(starting), warnings);
  const after = await services.runs.lastSeq(session.id);
  for (const entry of covered) {
    const refused = await answer(services, entry, by);
    if (refused) return refused;
  }
  const events = services.runs.events(session.id, after, signal);
  return ok({ ...(runId && { runId }), events, after, warnings });
}

const ResumePayload = z
  .object({
    approved: z.boolean().optional(),
    editedArgs: z.record(z.string(), z.unknown()).optional(),
    reason: z.string().max(4000).optional(),
  })
  .catch({ approved: false });

async function answer(
  { runs }: StartRunParts,
  entry: NonNullable<RunAgentInput["resume"]>[number],
  by: string,
): Promise<Refused | undefined> {
  const { approved, editedArgs, reason } = ResumePayload.parse(entry.payload ?? {});
  const approve = entry.status === "resolved" && approved !== false;
  const answered = await runs.approvals.answer(entry.interruptId, {
    approve,
    by,
    words: reason,
    editedArguments: approve ? (editedArgs as JsonValue | undefined) : undefined,
  });
  return answered.ok || answered.failure.code === "approval_decided" ? undefined : answered;
}

/** Joins the run that is on, or tells how the last one ended. */
async function look({ services, session, input, signal }: Starting): Promise<Result<Answering>> {
  const asked = input.messages.findLast(({ role }) => role === "user")?.id;
  const { standing, runId, after } = await lookAgain(services, session.id, asked);
  const events = services.runs.events(session.id, after, signal);
  return ok({ ...(runId && { runId }), events, after, warnings: [], standing });
}

const withWarnings = (result: Result<Answering>, warnings: readonly string[]): Result<Answering> =>
  result.ok ? ok({ ...result.value, warnings }) : result;
