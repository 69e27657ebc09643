/**
 * Repeats every recorded call of a capability's tools with the currently registered code. Only read-only tools are
 * called, on the gate's path `replay`; for the others only the schemas are checked.
 */
import {
  type CapabilityRegistry,
  fail,
  type JsonValue,
  ok,
  type Result,
  type RuntimeAgent,
  type RuntimeTool,
} from "@capstan/core";
import {
  claimsToRead,
  comparedFailure,
  comparedOutput,
  isBreaking,
  scrub,
  type TestedResult,
  unfitIn,
} from "@capstan/core/internal";
import type pg from "pg";
import { uuidv7 } from "uuidv7";
import type { Composer } from "../agents/composer.ts";
import { ALWAYS_SCRUBBED, findersOf } from "../datasets/items-of-runs.ts";
import type { Gate, GateOutcome, GateRequest, Judgement } from "../gate/gate.ts";
import type { RecordedRun } from "../replays/read-recording.ts";
import { withinScopes } from "../runs/context/within-scopes.ts";
import { type CallOfRun, recordedCalls } from "./recorded-calls.ts";

export interface CapabilityTestParts {
  readonly database: { readonly pool: Pick<pg.Pool, "query"> };
  readonly registry: CapabilityRegistry;
  readonly composer: Pick<Composer, "composeTrial" | "readSpec" | "readRecorded">;
  readonly gate: Pick<Gate, "call">;
}

export interface CapabilityTestRequest {
  readonly capabilityId: string;
  /** Whose runs; everyone's when absent. */
  readonly owner: string | undefined;
  /** Who asks: a user's connected accounts are used for nobody else. */
  readonly by: string;
  readonly limit: number;
  readonly signal: AbortSignal;
}

export interface TestedCall extends TestedResult {
  readonly runId: string;
  readonly callId: string;
  readonly tool: string;
  /** Whether the tool was really called. */
  readonly isLive: boolean;
  /** Without secrets; only where a change breaks the call. */
  readonly shown?: { readonly input: string; readonly before: string; readonly after: string | null };
}

export interface CapabilityTest {
  readonly version: string;
  readonly calls: readonly TestedCall[];
  /** False when time ran out before every call was tested. */
  readonly isComplete: boolean;
}

const MOST_MS = 60_000; // a caller waits for it

export async function testCapability(
  parts: CapabilityTestParts,
  request: CapabilityTestRequest,
): Promise<Result<CapabilityTest>> {
  const { capabilityId, signal: asked } = request;
  const found = parts.registry.get(capabilityId);
  if (!found.ok) return fail("not_found", { what: "capability", id: capabilityId });
  const tools = found.value.tools.map(({ name }) => name);
  const signal = AbortSignal.any([asked, AbortSignal.timeout(MOST_MS)]);
  const agents = new Map<string, Promise<Result<RuntimeAgent>>>();
  const agentOf = (run: RecordedRun): Promise<Result<RuntimeAgent>> => {
    const key = JSON.stringify([run.agentId, run.revision, run.user]);
    const agent = agents.get(key) ?? composed(parts, run, capabilityId);
    agents.set(key, agent);
    return agent;
  };
  const calls: TestedCall[] = [];
  const done = (isComplete: boolean) => ok({ version: found.value.version, calls, isComplete });
  for await (const each of recordedCalls(parts.database.pool, capabilityId, request)) {
    if (signal.aborted) return done(false);
    const agent = await agentOf(each.run);
    const tested = await testCall(parts.gate, each, { ...request, signal, tools, agent });
    if (signal.aborted) return done(false);
    calls.push(testedCall(each, tested));
  }
  return done(true);
}

/** The run's agent with the capability version that is registered now, whatever it was pinned to. */
async function composed(
  { composer }: CapabilityTestParts,
  { agentId, user, revision }: RecordedRun,
  capabilityId: string,
): Promise<Result<RuntimeAgent>> {
  const spec =
    revision === null
      ? await composer.readSpec(agentId, user)
      : await composer.readRecorded(agentId, revision);
  if (!spec.ok) return spec;
  const capabilities = spec.value.capabilities.map(({ version, ...ref }) =>
    ref.id === capabilityId || version === undefined ? ref : { ...ref, version },
  );
  return composer.composeTrial({ ...spec.value, capabilities }, user);
}

interface Around extends CapabilityTestRequest {
  /** What the capability has now. */
  readonly tools: readonly string[];
  readonly agent: Result<RuntimeAgent>;
}

interface Outcome extends TestedResult {
  readonly isLive: boolean;
  readonly after?: JsonValue;
}

const unrun = (result: TestedResult): Outcome => ({ ...result, isLive: false });

async function testCall(gate: Pick<Gate, "call">, each: CallOfRun, around: Around): Promise<Outcome> {
  const { run, call } = each;
  // An agent may give the tools of a capability a prefix.
  if (!around.tools.some((name) => call.tool.endsWith(name)))
    return unrun({ verdict: "tool_gone", why: `The capability has no tool "${call.tool}" any more.` });
  if (!around.agent.ok) return unrun({ verdict: "not_tested", why: around.agent.failure.message });
  const agent = withinScopes(around.agent.value, run.scopeCeiling);
  const tool = agent.tools.find((one) => one.name === call.tool && one.capabilityId === around.capabilityId);
  if (!tool) return unrun(missing(agent, each, around));
  const unfit = unfitIn(tool.tool, call.input, call.output);
  // The new result says more about a recorded result than the schema does.
  if (unfit && (unfit.verdict === "input_refused" || !claimsToRead(tool.tool))) return unrun(unfit);
  const why = whyNotCalled(tool, each, around);
  return why === undefined
    ? callAgain(gate, agent, each, around)
    : unrun(unfit ?? { verdict: "checked", why });
}

function missing(agent: RuntimeAgent, { call }: CallOfRun, { capabilityId }: Around): TestedResult {
  const hidden = agent.hidden.find((one) => one.name === call.tool && one.capabilityId === capabilityId);
  if (hidden) return { verdict: "not_tested", why: hidden.detail };
  return agent.capabilities.some(({ id }) => id === capabilityId)
    ? { verdict: "tool_gone", why: `The capability has no tool "${call.tool}" any more.` }
    : { verdict: "not_tested", why: "Its agent does not have the capability any more." };
}

function whyNotCalled({ tool, connections }: RuntimeTool, { run, call }: CallOfRun, { by }: Around) {
  if (!claimsToRead(tool)) return "Not called: it may change something. Its schemas accept the call.";
  if (call.gate === "asked") return "Not called: a person had to approve it. Its schemas accept the call.";
  if (connections.length > 0 && run.user !== by)
    return "Not called: it would use an account of somebody else. Its schemas accept the call.";
  return undefined;
}

async function callAgain(
  gate: Pick<Gate, "call">,
  agent: RuntimeAgent,
  { run, call }: CallOfRun,
  { signal }: Around,
): Promise<Outcome> {
  const outcome = await gate.call({
    path: "replay",
    agent,
    tool: call.tool,
    input: call.input,
    user: { email: run.user, scopes: agent.scopes },
    sessionId: run.sessionId,
    runId: run.runId,
    callId: `${uuidv7()}:${call.id}`,
    signal,
    seen: async () => run.labels,
    replayed: { answer: liveOnly, testsPrograms: true },
  });
  if (outcome.kind === "done")
    return { ...comparedOutput(call.output, outcome.output), isLive: true, after: outcome.output };
  if (outcome.kind !== "refused" || !outcome.ran || outcome.failure.code === "replay_effect")
    return unrun({
      verdict: "checked",
      why: `Not called: ${whyStopped(outcome)} Its schemas accept the call.`,
    });
  const { code, message } = outcome.failure;
  return { ...comparedFailure(call.output, outcome.failure), isLive: true, after: { code, message } };
}

/** No stand-in for the tool: it really reads, or the gate refuses. */
const liveOnly = (_request: GateRequest, judged: Judgement): GateOutcome | "run" =>
  judged.kind === "run" ? "run" : judged;

const whyStopped = (outcome: GateOutcome): string =>
  outcome.kind === "refused" ? outcome.failure.message : "a person or a client would be asked now.";

const MOST_CHARS = 2_000; // of a value in the report

function testedCall({ run, call }: CallOfRun, { after, isLive, verdict, why }: Outcome): TestedCall {
  const { value } = scrub(
    { why, input: call.input, before: call.output.value, after: after ?? null },
    findersOf(ALWAYS_SCRUBBED),
  );
  return {
    runId: run.runId,
    callId: call.id,
    tool: call.tool,
    verdict,
    why: value.why.slice(0, MOST_CHARS),
    isLive,
    ...(isBreaking(verdict) && {
      shown: {
        input: shownText(value.input),
        before: shownText(value.before),
        after: after === undefined ? null : shownText(value.after),
      },
    }),
  };
}

function shownText(value: JsonValue): string {
  const text = JSON.stringify(value);
  return text.length <= MOST_CHARS ? text : `${text.slice(0, MOST_CHARS)}…`;
}
