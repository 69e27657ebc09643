/**
 * Answers the calls of one replay: from the recording, with a tool without side effects, with a live read, or with a
 * stand-in. A call that none of them can answer ends the replay. Remembers the gate's decisions for the comparison.
 */
import type { Failure, JsonValue, RuntimeTool } from "@capstan/core";
import {
  createRecording,
  DATA_LABELS,
  type DataLabel,
  type Divergence,
  flowOf,
  type GateAnswer,
  labelsOf,
  type MatchKind,
  mayRunInReplay,
  type RecordedCall,
  type ResultSource,
  type ToolOutput,
} from "@capstan/core/internal";
import { z } from "zod";
import type { AskRules } from "../gate/ask-rules.ts";
import type { GateOutcome, GateRequest, Judgement } from "../gate/gate.ts";
import type { ReplayedResults } from "../gate/replayed-call.ts";
import type { SessionLabels } from "../labels/session-labels.ts";
import { bareId, refusalIn } from "./read-recording.ts";
import type { ReplayOptions } from "./replay-change.ts";

/** The replay cannot continue: nothing answers a call. */
export class Diverged extends Error {
  readonly at: Omit<Divergence, "turn">;
  constructor(at: Omit<Divergence, "turn">) {
    super(at.why);
    this.name = "Diverged";
    this.at = at;
  }
}

export interface Told {
  readonly tool: string;
  readonly gate: GateAnswer;
  readonly why?: string;
  readonly source: ResultSource;
}

export interface ResultsParts extends ReplayOptions {
  readonly calls: readonly RecordedCall[];
  readonly labels: SessionLabels;
  /** Whether the run's user made the replay. */
  readonly isOwn: boolean;
  readonly rules: AskRules | undefined;
  /** Ends the replay. */
  readonly diverge: (divergence: Diverged) => void;
}

export class RecordedResults implements ReplayedResults {
  readonly rules: AskRules | undefined;
  /** The decision on each call, by the call's id. */
  readonly told = new Map<string, Told>();
  readonly #parts: ResultsParts;
  readonly #recording: ReturnType<typeof createRecording>;
  #labels: SessionLabels;

  constructor(parts: ResultsParts) {
    this.#parts = parts;
    this.#recording = createRecording(parts.calls);
    this.#labels = parts.labels;
    this.rules = parts.rules;
  }

  /** What the conversation has read so far. */
  get labels(): SessionLabels {
    return this.#labels;
  }

  /** How often the gate asked about a tool so far. */
  askedAbout(tool: string): number {
    return [...this.told.values()].filter((each) => each.tool === tool && each.gate === "asked").length;
  }

  /** It changes what the conversation has read like a recorded call, but only in the replay. */
  noteRecall(labels: readonly string[]): void {
    const brought = DATA_LABELS.filter((label) => labels.includes(label));
    this.#addLabels(brought, { callId: "recalled" }, { name: "memory", capabilityId: "memory" });
  }

  answer(request: GateRequest, judged: Judgement): GateOutcome | "run" {
    if (judged.kind === "refused") return this.#refuse(request, judged);
    const { tool } = judged;
    const gate: GateAnswer = judged.kind === "approval" ? "asked" : "allowed";
    const tell = (source: ResultSource) => this.#tell(request, judged, gate, source);
    this.#addLabels(labelsOf(flowOf(tool.tool, tool.config)), request, tool);
    const isAsked = gate === "asked";
    const found = this.#recording.take(tool.name, inputOf(request), { within: kindsFor(tool), isAsked });
    if (found && isUsable(found.call, gate) && found.call.output) {
      tell(found.kind);
      this.#addLabels(found.call.labels ?? [], request, tool);
      const answer = served(found.call.output, tool.capabilityId);
      return isAsked ? { ...answer, edited: found.call.edited } : answer;
    }
    return this.#unrecorded(request, judged, tool, tell);
  }

  #unrecorded(
    request: GateRequest,
    judged: Judgement,
    tool: RuntimeTool,
    tell: (source: ResultSource) => void,
  ): GateOutcome | "run" {
    const mayRun = judged.kind === "run" && mayRunInReplay(tool.tool);
    if (mayRun && tool.tool.pure) {
      tell("computed");
      return "run";
    }
    const standIn = this.#parts.standIns.find((each) => each.tool === tool.name);
    if (standIn) {
      tell("stand_in");
      return done(standIn.output, tool.capabilityId);
    }
    const isOthers = tool.connections.length > 0 && !this.#parts.isOwn;
    if (mayRun && this.#parts.liveReads && !isOthers) {
      tell("live");
      return "run";
    }
    tell("none");
    this.#parts.diverge(
      new Diverged({
        tool: tool.name,
        input: inputOf(request),
        why: whyNone(tool, { isAllowed: judged.kind === "run", isOthers }),
      }),
    );
    const failure = { code: "cancelled", status: 499, message: "The replay ended here.", nextStep: "" };
    return { kind: "refused", ran: true, failure, capabilityId: tool.capabilityId, durationMs: 0 };
  }

  /** A call that was refused is refused again: it has no recorded result. */
  #refuse(request: GateRequest, judged: Extract<Judgement, { kind: "refused" }>): GateOutcome {
    this.#recording.take(request.tool, inputOf(request), {
      within: ["exact", "normalised"],
      isAsked: true,
    });
    const { message } = judged.failure;
    this.told.set(idOf(request), { tool: request.tool, gate: "denied", why: message, source: "refused" });
    return judged;
  }

  #tell(request: GateRequest, judged: Judgement, gate: GateAnswer, source: ResultSource): void {
    const why = judged.kind === "approval" ? judged.why : judged.ruled?.why;
    this.told.set(idOf(request), { tool: request.tool, gate, source, ...(why !== undefined && { why }) });
  }

  /** Calls of one answer are decided by what was read before it: `seen` was read when the call was made. */
  #addLabels(
    labels: readonly DataLabel[],
    { callId, runId }: Pick<GateRequest, "callId" | "runId">,
    { name, capabilityId }: Pick<RuntimeTool, "name" | "capabilityId">,
  ): void {
    const origin = { tool: name, capabilityId, runId, callId, at: new Date().toISOString() };
    this.#labels = { ...Object.fromEntries(labels.map((label) => [label, origin])), ...this.#labels };
  }
}

/** What is computed from the conversation is computed again unless it was the same question. */
const kindsFor = ({ tool }: RuntimeTool): readonly MatchKind[] =>
  tool.pure ? ["exact", "normalised"] : ["exact", "normalised", "nearest"];

/** A refused call has no result for one that is allowed now. A person's denial answers the same question again. */
const isUsable = ({ gate, output }: RecordedCall, now: GateAnswer): boolean =>
  refusalIn(output) === undefined || (gate === "asked" && now === "asked");

const whyNone = (
  { name, tool }: RuntimeTool,
  { isAllowed, isOthers }: { readonly isAllowed: boolean; readonly isOthers: boolean },
): string => {
  if (!isAllowed)
    return `"${name}" needs a person or a client, and no answer to these arguments is recorded.`;
  if (isOthers)
    return `No result of "${name}" with these arguments is recorded, and it would use an account of somebody else.`;
  if (tool.runsElsewhere)
    return `No result of "${name}" with these arguments is recorded, and a program of others would run. A stand-in can answer it.`;
  return mayRunInReplay(tool)
    ? `No result of "${name}" with these arguments is recorded, and live reads are off.`
    : `No result of "${name}" with these arguments is recorded, and it may change something.`;
};

const idOf = ({ callId }: GateRequest): string => bareId(callId);

const inputOf = ({ input }: GateRequest): JsonValue => (input ?? {}) as JsonValue;

const done = (output: JsonValue, capabilityId: string): Extract<GateOutcome, { kind: "done" }> => ({
  kind: "done",
  output,
  capabilityId,
  durationMs: 0,
});

/** As `refusal` stores a failure. */
const FAILED = { code: z.string(), message: z.string(), nextStep: z.string() };

function served(
  output: ToolOutput,
  capabilityId: string,
): Extract<GateOutcome, { kind: "done" | "refused" }> {
  if (output.type !== "error-json") return done(output.value, capabilityId);
  const { code, message, nextStep } = z.object(FAILED).parse(output.value);
  const failure: Failure = { code, message, nextStep, status: 500 };
  return { kind: "refused", ran: true, failure, capabilityId, durationMs: 0 };
}
