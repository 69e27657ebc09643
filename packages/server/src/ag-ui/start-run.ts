/** Executes a request and selects the events that answer it. */
import type { RunAgentInput } from "@ag-ui/core";
import { fail, type JsonValue, ok, type Result, type RunEvent } from "@capstan/core";
import type { AgUiMessage } from "@capstan/core/internal";
import {
  type AgentStore,
  type Database,
  type EventBatch,
  type PendingQuestions,
  pendingQuestions,
  type Runs,
  type SessionStore,
} from "@capstan/runtime";
import { keptUploads, type UploadParts } from "../sessions/kept-uploads.ts";
import { titleOf } from "../sessions/session-titles.ts";
import { checkResults, resultsOfClient, type StoredResults, storeResults } from "./client-results.ts";
import { readForwarded } from "./forwarded-props.ts";
import { answerInterrupts, checkInterrupts } from "./interrupts.ts";
import { lookAgain, type Standing } from "./look-again.ts";
import { type Rewind, rewindOf } from "./rewind.ts";
import {
  type Asked,
  askedFor,
  earlierText,
  isFirstMessage,
  lastUserMessage,
  type NewUserMessage,
  unusableParts,
  userParts,
} from "./run-input.ts";
import { hasState, type RunRequest, sendOptions } from "./send-options.ts";
import { type ComparedAnswers, changedCall, compareAnswers, missingMessages } from "./sent-history.ts";
import { newThread, readThread, type Thread, type ThreadAtStart } from "./thread-session.ts";

/** Where the answer starts, which run's events it consists of, and what a client gets first. */
export interface Answering {
  readonly runId?: string;
  /** A run that the request resumed and that ends before `runId` starts; its events are part of the answer. */
  readonly earlierRunId?: string;
  readonly events: AsyncIterable<EventBatch>;
  /** Before the first of them. */
  readonly after: number;
  readonly warnings: readonly string[];
  /** The thread's state, for a client that has none. */
  readonly state?: JsonValue | undefined;
  /** Sent first to a returning client, with the run's end if it has ended. */
  readonly standing?: Standing;
}

export interface Asking {
  readonly agentId: string;
  readonly by: string;
  /** The login of a client that acts for the user. */
  readonly client?: string | undefined;
  /** Whether they may also approve changes of rights. */
  readonly isAdmin?: boolean;
  readonly input: RunAgentInput;
  readonly signal: AbortSignal;
  /** The client shares state with the agent, as AG-UI's clients do. */
  readonly sharesState?: boolean;
  /** The run may be cancelled when the client disconnects, as set by the request or the agent. */
  readonly follows?: boolean;
  /** The trace that the request is part of. */
  readonly traceparent?: string | undefined;
  /** The client cannot reread a thread, so a request without a question is refused. */
  readonly onlyAnswers?: boolean;
}

export interface StartRunParts extends UploadParts {
  readonly agents: AgentStore;
  readonly sessions: SessionStore;
  readonly runs: Runs;
  readonly database: Database;
}

/**
 * A single message is assumed to start a new thread, which saves a query; if it does not, or is refused, the thread is
 * looked up. So is a thread that another request creates at the same time.
 */
export async function startRun(
  services: StartRunParts,
  asking: Asking,
): Promise<Result<Answering & { readonly sessionId: string }>> {
  const { agentId, by, client, input } = asking;
  const thread = { agentId: agentId.toLowerCase(), owner: by, threadId: input.threadId, client };
  if (isFirstMessage(input)) {
    const opened = newThread(thread);
    const started = await startIn(services, opened, asking);
    if (started.ok) return ok({ ...started.value, sessionId: opened.session.id });
  }
  const messageId = lastUserMessage(input)?.id ?? "";
  for (let again = false; ; again = true) {
    const opened = await reopenThread(services, thread, messageId);
    if (!opened.ok) return opened;
    const { session, view } = opened.value;
    const started = await startIn(services, opened.value, asking);
    if (started.ok) return ok({ ...started.value, sessionId: session.id });
    const raced = started.failure.code === "not_found" && view.isNew && !again;
    if (!raced) return started;
  }
}

/**
 * A client that asks something new waits no longer for the run it left: after Stop, people do not wait for the grace
 * period, and their message must not queue behind the stopped run.
 */
async function reopenThread(
  services: StartRunParts,
  thread: Thread,
  messageId: string,
): Promise<Result<ThreadAtStart>> {
  const opened = await readThread(services, thread, messageId);
  if (!opened.ok || messageId === "") return opened;
  const { session, view } = opened.value;
  if (!view.active?.isLeft || view.known !== null) return opened;
  await services.runs.cancel(session.id, { by: thread.owner, runId: view.active.id });
  return readThread(services, thread, messageId);
}

async function startIn(
  services: StartRunParts,
  thread: ThreadAtStart,
  asking: Asking,
): Promise<Result<Answering>> {
  const { agentId, by, isAdmin = false, input, signal, sharesState = false, follows = false } = asking;
  const forwarded = readForwarded(input.forwardedProps);
  if (!forwarded.ok) return forwarded;
  const starting: Starting = {
    services,
    ...thread,
    input,
    forwarded: forwarded.value.props,
    by,
    isAdmin,
    signal,
    sharesState,
    follows,
    traceparent: asking.traceparent,
    onlyAnswers: asking.onlyAnswers ?? false,
  };
  const passedOver = [...forwarded.value.passedOver, ...unusableParts(input, thread.view)];
  const started = withWarnings(await answerRequest(starting, agentId), passedOver);
  const isUnknown = started.ok && sharesState && !hasState(input) && hasState(thread.view);
  return isUnknown ? ok({ ...started.value, state: thread.view.state }) : started;
}

async function answerRequest(starting: Starting, agentId: string): Promise<Result<Answering>> {
  const { services, session, view, input } = starting;
  const asked = askedFor(input, new Set(view.conversation?.map(({ id }) => id)));
  if (view.isNew) return answerAsked(starting, asked, agentId);
  const call = asked.answers.length > 0 ? changedCall(input, view) : undefined;
  if (call !== undefined) return fail("call_changed", { call });
  const stored = await services.runs.userMessages(session.id);
  const compared = compareAnswers(input, view, stored);
  const cut = rewindOf(input, stored, view.known);
  const { changed } = compared;
  if (changed !== undefined && (cut || asksAnything(asked)))
    return refuseHistory(starting, changed, compared);
  const warnings = [...compared.warnings, ...(changed === undefined ? [] : [keptAnswer(changed)])];
  if (cut && asked.answers.length === 0) return withWarnings(await replaceFrom(starting, cut), warnings);
  const ineffective = cut ? [KEPT_HISTORY] : missingMessages(input, stored);
  return withWarnings(await answerAsked(starting, asked, agentId), [...warnings, ...ineffective]);
}

const asksAnything = ({ answers, results, message }: Asked): boolean =>
  answers.length > 0 || results.length > 0 || message !== undefined;

const keptAnswer = (id: string): string => `the answer "${id}" is not the stored one, which stays as it is`;
const KEPT_HISTORY =
  "this history differs from the stored conversation; beside an answer to an interrupt, that changes nothing";

async function answerAsked(starting: Starting, asked: Asked, agentId: string): Promise<Result<Answering>> {
  const { services, session, view } = starting;
  if (!asked.message) {
    const agent = await services.agents.get(agentId);
    if (!agent.ok) return agent;
    if (view.isNew) await makeSession(starting);
  }
  const pending: PendingQuestions =
    view.active?.status === "waiting" ? await pendingQuestions(services, session.id) : { approvals: [] };
  const answered = new Set(asked.answers.map(({ interruptId }) => interruptId));
  const isCovered = pending.approvals.every(({ id }) => answered.has(id));
  if (!isCovered && asksAnything(asked))
    return fail("resume_required", { open: pending.approvals.map(({ id }) => id) });
  return answerAll(starting, asked, pending);
}

/** The client gets the stored answer back, so that it can send its request again. */
function refuseHistory(
  { input, view }: Starting,
  changed: string,
  { restored, warnings }: ComparedAnswers,
): Result<Answering> {
  const { code, message, nextStep } = fail("answer_changed", { id: changed }).failure;
  const ended: RunEvent = { type: "RUN_ERROR", code, message: `${message} ${nextStep}` };
  const state = hasState(input) ? (input.state as JsonValue) : view.state;
  const standing = { state, messages: restored as readonly AgUiMessage[], last: 0, ended };
  return ok({ events: NO_EVENTS, after: 0, warnings, standing });
}

const NO_EVENTS: AsyncIterable<EventBatch> = { async *[Symbol.asyncIterator]() {} };

/** Everything in the request counts: results and answers for the waiting run, then the new message. */
async function answerAll(
  starting: Starting,
  asked: Asked,
  pending: PendingQuestions,
): Promise<Result<Answering>> {
  const { message, answers, results } = asked;
  if (results.length > 0 || answers.length > 0) return answerWaitingRun(starting, asked, pending);
  return message ? sendMessage(starting, message) : look(starting);
}

async function answerWaitingRun(
  starting: Starting,
  asked: Asked,
  pending: PendingQuestions,
): Promise<Result<Answering>> {
  const { message } = asked;
  const after = await starting.services.runs.lastSeq(starting.session.id);
  const resumes = message === undefined || pending.approvals.length > 0; // else the message's run sees the results
  const given = await giveAnswers(starting, asked, { pending, resumes });
  if (!given.ok) return given;
  const { runId, isAnswered, warnings } = given.value;
  if (message) return sendAfter(starting, message, { runId: resumes ? runId : undefined, after, warnings });
  return isAnswered && runId !== undefined
    ? followResumed(starting, runId, { after, warnings })
    : withWarnings(await look(starting), warnings);
}

interface GivenAnswers {
  readonly runId: string | undefined;
  readonly isAnswered: boolean;
  readonly warnings: readonly string[];
}

/** Nothing is stored where another part of the request is refused. */
async function giveAnswers(
  starting: Starting,
  { message, answers, results }: Asked,
  { pending, resumes }: { readonly pending: PendingQuestions; readonly resumes: boolean },
): Promise<Result<GivenAnswers>> {
  const { runs } = starting.services;
  const asksMore = message !== undefined || answers.length > 0;
  const sent = checkResults(starting, await resultsOfClient(runs, { results, answers }), asksMore);
  if (!sent.ok) return sent;
  const checked = await checkInterrupts(runs, answers, { ...starting, pending });
  if (!checked.ok) return checked;
  const stored = await storeResults(starting, sent.value.results, { asksMore, resumes });
  if (!stored.ok) return stored;
  const answered = await answerInterrupts(runs, answers, { ...starting, pending });
  if (answered.refused) return answered.refused;
  return ok({
    runId: pending.runId ?? stored.value?.runId,
    isAnswered: stored.value !== undefined || pending.approvals.length > 0,
    warnings: [...answered.warnings, ...sent.value.warnings],
  });
}

async function followResumed(
  starting: Starting,
  runId: string,
  { after, warnings }: { after: number; warnings: readonly string[] },
): Promise<Result<Answering>> {
  const waiting = await stillWaiting(starting, runId);
  if (waiting) return withWarnings(await look(starting, waiting), warnings);
  const { services, session, signal } = starting;
  await services.runs.clientReturned(session.id);
  return ok({ runId, events: services.runs.events(session.id, after, signal), after, warnings });
}

/** Sends the message; the events of a run that was resumed before it are part of the answer. */
async function sendAfter(
  starting: Starting,
  message: NewUserMessage,
  { runId, after, warnings }: { runId: string | undefined; after: number; warnings: readonly string[] },
): Promise<Result<Answering>> {
  const sent = await sendMessage(starting, message);
  if (!sent.ok || runId === undefined) return withWarnings(sent, warnings);
  const events = starting.services.runs.events(starting.session.id, after, starting.signal);
  return withWarnings(ok({ ...sent.value, earlierRunId: runId, events, after }), warnings);
}

/** How the answer ends when the run waits for more client results than the request contained. */
async function stillWaiting({ services }: Starting, runId: string): Promise<RunEvent | undefined> {
  const run = await services.runs.run(runId);
  if (!run.ok || run.value.status !== "waiting") return undefined;
  const { sessionId, pending } = run.value;
  const { items } = await services.runs.messages(sessionId, { limit: 10_000 });
  const done = new Set(
    items.flatMap((item) => (item.role === "tool" ? item.content.map(({ toolCallId }) => toolCallId) : [])),
  );
  const pendingToolCallIds = (pending?.clientCalls ?? []).filter((id) => !done.has(id));
  const approvals = await services.runs.approvals.list({ status: "pending", sessionId, limit: 1 });
  if (approvals.items.length > 0 || pendingToolCallIds.length === 0) return undefined;
  const outcome = { type: "success" as const, pendingToolCallIds };
  return { type: "RUN_FINISHED", threadId: sessionId, runId, outcome };
}

interface Starting extends ThreadAtStart, RunRequest {
  readonly services: StartRunParts;
  readonly isAdmin: boolean;
  readonly signal: AbortSignal;
  readonly onlyAnswers: boolean;
}

async function sendMessage(
  starting: Starting,
  message: NewUserMessage,
  branchSessionId?: string,
): Promise<Result<Answering>> {
  const { services, session, view, signal } = starting;
  const title = titleOf(message.content);
  const early = view.isNew && message.content.some(({ type }) => type === "file"); // its files need the session's row
  if (early) await makeSession(starting, title);
  const content = await keptUploads(services, session, message.id, message.content);
  if (!content.ok) return content;
  const isFresh = !early && branchSessionId === undefined && view.active === null;
  const sent = await services.runs.sendAndFollow(
    session.id,
    { id: message.id, content: content.value },
    { ...sendOptions(starting, message.earlier), branchSessionId },
    signal,
    isFresh ? { ...view, title } : undefined,
  );
  if (!sent.ok) return sent;
  const isFirst = !view.isNew && (view.conversation ?? []).length === 0;
  if (isFirst && title !== "") await services.sessions.nameUntitled(session.id, title);
  const { runId, events, status, afterSeq = 0 } = sent.value;
  return status === "known" ? look(starting) : ok({ runId, events, after: afterSeq, warnings: [] });
}

async function makeSession(
  { services, session, view }: ThreadAtStart & { services: StartRunParts },
  title?: string,
): Promise<void> {
  const { id, agentId, owner } = session;
  await services.sessions.create({
    id,
    agentId: agentId ?? undefined,
    owner,
    metadata: { ...view.metadata },
    ...(title !== undefined && { title }),
  });
}

/** What is dropped stays in a branch. A conversation that starts anew gets what the client had before it. */
async function replaceFrom(starting: Starting, { position, messages }: Rewind): Promise<Result<Answering>> {
  const { services, session, input, by } = starting;
  const branch = await services.runs.rewind(session.id, position, by);
  if (!branch.ok) return branch;
  const earlier = position === 0 ? earlierText(input.messages, messages) : "";
  const id = messages.at(-1)?.id ?? "";
  const message = { id, content: messages.flatMap(userParts), earlier };
  return sendMessage(starting, message, branch.value.sessionId);
}

/** Joins the active run, or returns how the last one ended. */
async function look(
  { services, session, input, signal }: Starting,
  ended?: RunEvent,
): Promise<Result<Answering>> {
  const asked = input.messages.findLast(({ role }) => role === "user")?.id;
  await services.runs.clientReturned(session.id);
  const { standing, runId, after } = await lookAgain(services, session.id, asked);
  const events = services.runs.events(session.id, after, signal);
  const shown = ended ? { ...standing, ended } : standing;
  return ok({ ...(runId && { runId }), events, after, warnings: [], standing: shown });
}

const withWarnings = (result: Result<Answering>, warnings: readonly string[]): Result<Answering> =>
  result.ok ? ok({ ...result.value, warnings: [...warnings, ...result.value.warnings] }) : result;
