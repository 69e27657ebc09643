/** Accepts a message: validates it, stores it with its run, and starts the run or queues it behind the active one. */
import { fail, type JsonValue, ok, type Result, type RuntimeAgent } from "@capstan/core";
import { type ConversationMessage, inProgram, type UserPart } from "@capstan/core/internal";
import { uuidv7 } from "uuidv7";
import { CLAIM_NEW, CLAIM_QUEUED } from "./claim/claim-statements.ts";
import type { ClaimedSegment } from "./claim/claimed-segment.ts";
import type { ClaimRow } from "./claim/claims.ts";
import { readSession, type SessionView } from "./claim/session-view.ts";
import { clientTools, withTools } from "./context/engine-tools.ts";
import type { Engine } from "./context/run-context.ts";
import { withinScopes } from "./context/within-scopes.ts";
import type { NewMessage, Pending, RunInput, SendOptions, Sent } from "./contract/run-types.ts";
import { driverFor, isHarnessed } from "./harness/harness-step.ts";
import { messageId as newMessageId } from "./log/message-id.ts";
import { storableJson } from "./log/storable-json.ts";
import { checkSchema, schemaPart } from "./model/output-schema.ts";
import type { ActiveSegments } from "./processes/active-segments.ts";
import { withSummary } from "./summary/session-summary.ts";

const UNIQUE_VIOLATION = "23505";
const RACES = 5; // retries of a claim that conflicts with another one

/** What a run started by another one has besides its message. */
export interface ChildOf {
  readonly runId: string;
  readonly callId: string;
  readonly depth: number;
  readonly scopeCeiling: readonly string[];
}

/** What may come with a message: its parent run, and the session if the caller has just read it. */
export interface Beside {
  readonly child?: ChildOf | undefined;
  readonly view?: SessionView | undefined;
}

export interface SendParts {
  readonly engine: Engine;
  readonly segments: ActiveSegments;
  /** Ends a run that waits for a client tool, because the client sent a new message instead. */
  readonly abandon: (sessionId: string) => Promise<void>;
  readonly hint: (sessionId: string) => void;
}

export async function send(
  parts: SendParts,
  sessionId: string,
  message: NewMessage,
  options: SendOptions,
  { child, view }: Beside = {},
): Promise<Result<Sent>> {
  const content = partsOf(message);
  if (content.length === 0) return fail("message_empty", {});
  if (parts.engine.draining()) return stopping();
  const messageId = message.id ?? newMessageId();
  const { pool } = parts.engine.parts.database;
  const session = await assignRevision(
    parts.engine,
    sessionId,
    view ?? (await readSession(pool, sessionId, messageId)),
  );
  if (!session) return fail("not_found", { what: "session", id: sessionId });
  if (session.known) return ok({ runId: session.known.id, messageId, status: "known" });
  const agent = await checkedAgent(parts.engine, session, options, child);
  if (!agent.ok) return agent;
  if (session.active && waitsForClientOnly(session.active)) await parts.abandon(sessionId);
  const { state, ...kept } = options;
  const input: RunInput = {
    ...kept,
    ...(child && { depth: child.depth, scopeCeiling: child.scopeCeiling }),
    ...(session.continue_in && { continueIn: { ...session.continue_in, agentId: agent.value.spec.id } }),
  };
  const whole = [...content, ...modelOnlyParts(session, options)];
  return claimAndStart(parts, {
    sessionId,
    messageId,
    session,
    agent: agent.value,
    input,
    content: whole,
    state,
    child,
  });
}

interface Claiming {
  readonly sessionId: string;
  readonly messageId: string;
  readonly session: SessionView;
  readonly agent: RuntimeAgent;
  readonly input: RunInput;
  readonly content: readonly UserPart[];
  readonly state: JsonValue | undefined;
  readonly child: ChildOf | undefined;
}

interface NewClaim {
  readonly start_seq: number | null;
  readonly position: number | null;
  readonly queued: boolean;
}

async function claimAndStart(parts: SendParts, claiming: Claiming): Promise<Result<Sent>> {
  const { sessionId, messageId } = claiming;
  const { pool } = parts.engine.parts.database;
  const runId = uuidv7();
  const claim = await claimNew(parts, claiming, runId);
  if (claim.start_seq !== null && claim.position !== null) {
    const { start_seq: first, position } = claim;
    parts.hint(sessionId);
    await startClaimed(parts, claiming, { runId, first, position });
    return ok({ runId, messageId, status: "running", afterSeq: first - 1 });
  }
  if (claim.queued) {
    await startNext(parts, sessionId);
    return ok({ runId, messageId, status: "queued" });
  }
  // A session that was expected to be new exists: the caller must check its owner.
  const known = claiming.session.isNew ? null : (await readSession(pool, sessionId, messageId))?.known;
  return known
    ? ok({ runId: known.id, messageId, status: "known" })
    : fail("not_found", { what: "session", id: sessionId });
}

const newSessionValues = ({ isNew, owner, metadata, title = "", follows }: SessionView) => [
  isNew === true,
  owner,
  storableJson(metadata),
  title,
  follows && storableJson(follows),
];

/** A session that its first message creates may be one of its agent's canaries. */
async function assignRevision<View extends SessionView | undefined>(
  { parts }: Engine,
  sessionId: string,
  view: View,
): Promise<View> {
  if (!view?.isNew || view.agent_id === null || view.follows) return view;
  const follows = await parts.assignRevision?.(view.agent_id, sessionId);
  return follows ? { ...view, follows } : view;
}

async function claimNew(
  parts: SendParts,
  { sessionId, messageId, session, agent, input, content, state, child }: Claiming,
  runId: string,
): Promise<NewClaim> {
  const { database, executorId } = parts.engine.parts;
  const values = [
    sessionId,
    runId,
    messageId,
    executorId,
    agent.spec.id,
    storableJson(input),
    storableJson({ ...input, content }),
    storableJson(content),
    session.feedback?.map((entry) => entry.messageId) ?? [],
    child?.runId ?? null,
    child?.callId ?? null,
    state === undefined ? null : storableJson(state),
    ...newSessionValues(session),
    agent.spec.version,
  ];
  for (let race = 0; ; race++) {
    try {
      const { rows } = await database.pool.query<NewClaim>(CLAIM_NEW, values);
      return rows[0] ?? { start_seq: null, position: null, queued: false };
    } catch (error) {
      if ((error as { code?: string }).code !== UNIQUE_VIOLATION || race >= RACES) throw error;
    }
  }
}

interface Claimed {
  readonly runId: string;
  readonly first: number;
  readonly position: number;
}

/** Starts from the rows already read, unless another run was stored in between: then it reads them again. */
async function startClaimed(parts: SendParts, claiming: Claiming, claimed: Claimed): Promise<void> {
  const { sessionId, messageId, session, agent, input, content, state, child } = claiming;
  const { runId, first, position } = claimed;
  const before = session.conversation ?? [];
  if ((before.at(-1)?.position ?? -1) + 1 !== position) {
    return parts.segments.startRow({
      id: runId,
      session_id: sessionId,
      epoch: 1,
      segment: 0,
      launch: 0,
      start_seq: first,
      input,
      agent_id: agent.spec.id,
      parent_run_id: child?.runId ?? null,
      parent_call_id: child?.callId ?? null,
    });
  }
  const message: ConversationMessage = { id: messageId, role: "user", content };
  const segment: ClaimedSegment = {
    runId,
    sessionId,
    epoch: 1,
    segment: 0,
    launch: 0,
    isStarted: false,
    attempts: 0,
    activeMs: 0,
    usages: [],
    children: [],
    answers: [],
    input,
    agentId: agent.spec.id,
    userEmail: session.owner,
    parent: child && { runId: child.runId, callId: child.callId },
    state: state ?? session.state,
    metadata: session.metadata,
    follows: session.follows,
    seq: first - 1,
    position: position + 1,
    messages: [...withSummary(before, session.summary), message],
    summary: session.summary ?? undefined,
  };
  parts.segments.start(segment, agent.spec);
}

/** Starts the session's oldest queued run, unless one is active. */
export async function startNext({ engine, segments, hint }: SendParts, sessionId: string): Promise<void> {
  const { database, executorId } = engine.parts;
  try {
    const { rows } = await database.pool.query<ClaimRow>(CLAIM_QUEUED, [sessionId, executorId]);
    const [row] = rows;
    if (!row) return;
    engine.hub.hint(sessionId);
    hint(sessionId);
    await segments.startRow(row);
  } catch (error) {
    if ((error as { code?: string }).code !== UNIQUE_VIOLATION) throw error; // another process was faster
  }
}

function stopping(): Result<never> {
  const nextStep = "Send it again: another process, or this one after its restart, will accept it.";
  return fail("not_available", { what: "This server process", why: "it is stopping", nextStep });
}

/** Checks the agent, its model and the options before anything is stored. */
async function checkedAgent(
  engine: Engine,
  session: SessionView,
  options: SendOptions,
  child: ChildOf | undefined,
): Promise<Result<RuntimeAgent>> {
  if (session.agent_id === null) {
    return fail("conflict", {
      message: "The session has no agent.",
      nextStep: "Set its agent_id with PATCH /v1/sessions/{id}, or create a session with one.",
    });
  }
  const composed = await engine.agentFor(session.agent_id, session.owner, session.follows);
  if (!composed.ok) return composed;
  const own = inProgram(composed.value, session.continue_in);
  const agent = withinScopes(own, child?.scopeCeiling ?? session.metadata.scopeCeiling);
  const whole = withClientTools(agent, options);
  if (!whole.ok) return whole;
  const checks = [
    () => checkToolChoice(whole.value, options),
    () => (options.outputSchema === undefined ? ok(true) : checkSchema(options.outputSchema)),
    () => checkWebhook(engine, options.webhookUrl),
    () => canAnswer(engine, whole.value, options.model),
  ];
  for (const check of checks) {
    const checked = await check();
    if (!checked.ok) return checked;
  }
  return ok(agent);
}

function withClientTools(agent: RuntimeAgent, options: SendOptions): Result<RuntimeAgent> {
  const brought = clientTools(options.clientTools ?? []);
  return brought.ok ? withTools(agent, brought.value) : brought;
}

/** The tool that must be called is one of them. */
function checkToolChoice({ tools }: RuntimeAgent, { toolChoice }: SendOptions): Result<true> {
  const chosen = typeof toolChoice === "object" ? toolChoice.name : undefined;
  if (chosen === undefined || tools.some(({ name }) => name === chosen)) return ok(true);
  return fail("input_invalid", { where: `toolChoice names "${chosen}", which this agent does not have` });
}

async function checkWebhook({ parts }: Engine, url: string | undefined): Promise<Result<unknown>> {
  if (url === undefined) return ok(true);
  return parts.webhooks ? parts.webhooks.check(url) : fail("webhooks_absent", {});
}

/** Whether the agent's model, or its coding agent, is available. */
async function canAnswer(
  engine: Engine,
  agent: RuntimeAgent,
  model: string | undefined = agent.spec.model,
): Promise<Result<unknown>> {
  if (!isHarnessed(agent)) return engine.parts.models.resolve(model);
  const driver = driverFor(engine, agent);
  return driver.ok ? driver.value.check(agent, model) : driver;
}

const waitsForClientOnly = ({ status, pending }: { status: string; pending: Pending | null }): boolean =>
  status === "waiting" &&
  (pending?.clientCalls.length ?? 0) > 0 &&
  pending?.approvals.length === 0 &&
  pending.children.length === 0;

function partsOf({ content }: NewMessage): UserPart[] {
  const parts: readonly UserPart[] =
    typeof content === "string" ? [{ type: "text", text: content }] : content;
  return parts.filter((part) => part.type === "file" || part.text !== "");
}

/** Parts for the model only, added to the message so that the start of the prompt stays the same. */
function modelOnlyParts({ feedback, state, conversation }: SessionView, options: SendOptions): UserPart[] {
  const parts: UserPart[] = [];
  const add = (origin: string, text: string) => parts.push({ type: "text", origin, text: `\n\n${text}` });
  for (const text of feedbackTexts(feedback ?? [])) add("feedback", text);
  for (const text of newInstructions(options.instructions ?? [], conversation ?? [])) add(INSTRUCTION, text);
  for (const { description, value } of options.context ?? []) add("context", `[${description}: ${value}]`);
  const shared = options.state ?? state;
  if (typeof shared === "object" && shared !== null && Object.keys(shared).length > 0) {
    add("state", `[State shared with the user interface: ${JSON.stringify(shared)}]`);
  }
  if (options.outputSchema !== undefined) parts.push(schemaPart(options.outputSchema));
  return parts;
}

const INSTRUCTION = "instruction";

const feedbackTexts = (feedback: NonNullable<SessionView["feedback"]>): string[] =>
  feedback.map(
    ({ value, words }) =>
      `[The user's feedback on an earlier answer of yours: ${value}${words ? `, "${words}"` : ""}]`,
  );

/** Instructions that the conversation does not contain: clients send all of theirs with every request. */
function newInstructions(
  instructions: readonly string[],
  conversation: readonly ConversationMessage[],
): string[] {
  const told = conversation
    .flatMap((message) => (message.role === "user" ? message.content : []))
    .flatMap((part) => (part.type === "text" && part.origin === INSTRUCTION ? [part.text.trim()] : []));
  return instructions
    .map((text) => `[Instruction of the application: ${text.trim()}]`)
    .filter((text) => !told.includes(text));
}
