/**
 * Features that runs rely on, tested over each transport of an agent: one or two runs of the real program with the simulated model.
 *
 * A feature works or not; a run that shows neither is inconclusive, which is not a success.
 */
import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { CodingAgentCapabilities, CodingAgentEvent, RunOptions } from "@capstan/core/internal";
import type { SimPlan, SimScript } from "../sim/sim-plan.ts";
import type { SimRequest } from "../sim/sim-request.ts";
import { IMAGE_BASE64, MARKS, type ProbePlace } from "./probe-place.ts";
import { IMAGE_ON_WIRE, ProbeInconclusive } from "./probe-scenarios.ts";

type Ended = Extract<CodingAgentEvent, { type: "run-ended" }>;
type Asked = Extract<CodingAgentEvent, { type: "approval-requested" }>;

export interface FeatureRun {
  readonly events: readonly CodingAgentEvent[];
  readonly requests: readonly SimRequest[];
  readonly ended: Ended;
}

/** Ways to take part in a run under probe. */
export interface Taking {
  readonly script?: SimScript;
  readonly answer?: (asked: Asked) => { readonly approve: unknown } | { readonly deny: string };
  /** Stops the run at the first word of the model. */
  readonly interrupts?: boolean;
}

export interface FeatureTools {
  readonly can: CodingAgentCapabilities;
  readonly place: ProbePlace;
  /** A model that is offered tools one by one. */
  readonly toolModel: string;
  readonly attempt: (
    options: Partial<RunOptions> & { readonly prompt: string },
    taking?: Taking,
  ) => Promise<FeatureRun>;
}

export interface FeatureProbe {
  readonly name: string;
  /** For people: which field of the manifest declares it, and what the probe does. */
  readonly declaredBy: string;
  readonly how: string;
  /** Whether the transport offers it at all. */
  readonly offered: (can: CodingAgentCapabilities) => boolean;
  readonly works: (tools: FeatureTools) => Promise<boolean>;
}

const always = () => true;
const asksPeople = ({ approvalModes }: CodingAgentCapabilities) => approvalModes.includes("prompt");
const runsTools = ({ approvalModes, supportsNativeTools }: CodingAgentCapabilities) =>
  supportsNativeTools && approvalModes.includes("yolo");

export const FEATURE_PROBES: readonly FeatureProbe[] = [
  {
    name: "exact prompt",
    declaredBy: "always",
    how: "A prompt with quotes, tabs, two spaces, `--flag` and `@x` is on the wire byte for byte; the file `x` is not.",
    offered: always,
    works: getsExactPrompt,
  },
  {
    name: "deny",
    declaredBy: "`approvalModes` has prompt",
    how: "A call that a person denies does not write its file.",
    offered: asksPeople,
    works: isDenied,
  },
  {
    name: "edit",
    declaredBy: "`approvalModes` has prompt",
    how: "A call approved with another file name writes that file, and not the first one.",
    offered: asksPeople,
    works: runsEditedCall,
  },
  {
    name: "image",
    declaredBy: "`supportsImageInput`",
    how: "An image given as base64 is on the wire.",
    offered: ({ supportsImageInput }) => supportsImageInput,
    works: seesImage,
  },
  {
    name: "resume cost",
    declaredBy: "`canResume`",
    how: "A second run of the session has the first one's words on the wire and costs as much as one run.",
    offered: ({ canResume }) => canResume,
    works: costsOneRun,
  },
  {
    name: "usage with tools",
    declaredBy: "`reportsUsage`, and `approvalModes` has yolo",
    how: "A run with two calls of the model reports twice the tokens of one with one call.",
    offered: (can) => can.reportsUsage !== "never" && runsTools(can),
    works: countsEveryCall,
  },
  {
    name: "401",
    declaredBy: "always",
    how: "The run fails as `coding_agent_not_logged_in`, or tells that it tries again as that.",
    offered: always,
    works: (tools) => tellsError(tools, "err401", "coding_agent_not_logged_in"),
  },
  {
    name: "429",
    declaredBy: "always",
    how: "The run fails as `coding_agent_rate_limited`, or tells that it tries again as that.",
    offered: always,
    works: (tools) => tellsError(tools, "err429", "coding_agent_rate_limited"),
  },
  {
    name: "cut stream",
    declaredBy: "always",
    how: "An answer whose connection breaks is asked for again, or fails the run.",
    offered: always,
    works: noticesCut,
  },
  {
    name: "interrupt",
    declaredBy: "`supportsTextStreaming`",
    how: "A run that is interrupted at its first word ends as `aborted`.",
    offered: ({ supportsTextStreaming }) => supportsTextStreaming,
    works: isInterrupted,
  },
  {
    name: "MCP tool",
    declaredBy: "`supportsMCP`",
    how: "The answer of a tool of the run's own MCP server reaches the model.",
    offered: ({ supportsMCP }) => supportsMCP,
    works: callsMcpTool,
  },
  {
    name: "structured output",
    declaredBy: "`supportsStructuredOutput`",
    how: "A run with `outputSchema` ends as `done`, with an answer of that form.",
    offered: ({ supportsStructuredOutput }) => supportsStructuredOutput,
    works: answersBySchema,
  },
];

const PROMPT =
  "[[text]] \"quoted\" 'single' \\back\nnew line  two  spaces \t tab $HOME `tick` é 漢 --flag @x end";

/** There is a file `x`: a program that reads `@x` as its content has changed the prompt. */
async function getsExactPrompt({ attempt }: FeatureTools): Promise<boolean> {
  const { requests } = await completeRun(attempt({ prompt: PROMPT }));
  return wasSent(requests, JSON.stringify(PROMPT).slice(1, -1)) && !wasSent(requests, MARKS.mentioned);
}

const MADE = "probe-made.txt";
const OTHER = "probe-other.txt";

async function isDenied({ attempt, place }: FeatureTools): Promise<boolean> {
  const answer = () => ({ deny: "not today" });
  await completeRun(attempt({ prompt: `[[run touch ${MADE}]]`, approvalMode: "prompt" }, { answer }));
  return !(await isThere(place, MADE));
}

async function runsEditedCall({ attempt, place }: FeatureTools): Promise<boolean> {
  const answer = ({ input }: Asked) => ({
    approve: JSON.parse(JSON.stringify(input).replaceAll(MADE, OTHER)) as unknown,
  });
  await completeRun(
    attempt({ prompt: "Write it.", approvalMode: "prompt" }, { answer, script: writesAsTold }),
  );
  return (await isThere(place, OTHER)) && !(await isThere(place, MADE));
}

/** The model asks to write, and makes the edited call instead. */
function writesAsTold(request: SimRequest): string {
  const said = JSON.stringify(request.body);
  if (request.tools.length === 0) return "text";
  const isTold = said.includes("Make exactly this call");
  if (isTold && !said.includes("probe wrote other")) return `run touch ${OTHER} && echo probe wrote other`;
  return request.isToolDone || isTold ? "text" : `run touch ${MADE}`;
}

async function seesImage({ attempt }: FeatureTools): Promise<boolean> {
  const attachments = [{ data: IMAGE_BASE64, mimeType: "image/png", name: "dot.png" }];
  const { requests } = await completeRun(attempt({ prompt: "[[text]] What is it?", attachments }));
  return requests.some(({ body }) => IMAGE_ON_WIRE.test(JSON.stringify(body)));
}

async function costsOneRun({ attempt }: FeatureTools): Promise<boolean> {
  const first = await completeRun(attempt({ prompt: `[[text]] Remember ${MARKS.memory}.` }));
  const { sessionId } = first.ended;
  if (sessionId === undefined) throw new ProbeInconclusive("the agent named no session");
  const again = await completeRun(attempt({ prompt: "[[text]] Go on.", sessionId }));
  const [one, other] = [first.ended.usage?.costUsd, again.ended.usage?.costUsd];
  if (one === undefined || other === undefined) return false;
  return wasSent(again.requests, MARKS.memory) && Math.abs(one - other) < ROUNDING_USD;
}

const ROUNDING_USD = 1e-9;

async function countsEveryCall({ attempt }: FeatureTools): Promise<boolean> {
  const one = await completeRun(attempt({ prompt: "[[text]] Answer.", approvalMode: "yolo" }));
  const two = await completeRun(attempt({ prompt: "[[tool]] Run it.", approvalMode: "yolo" }));
  return tokensOf(one) > 0 && tokensOf(two) === 2 * tokensOf(one);
}

function tokensOf({ ended: { usage } }: FeatureRun): number {
  const { inputTokens = 0, cachedInputTokens = 0, cacheWriteTokens = 0 } = usage ?? {};
  return inputTokens + cachedInputTokens + cacheWriteTokens;
}

const ERROR_TIMEOUT_MS = 45_000; // some programs retry for ever; what counts is that they report it

async function tellsError({ attempt }: FeatureTools, mode: string, code: string): Promise<boolean> {
  const asked = { prompt: `[[${mode}]] Answer.`, timeoutMs: ERROR_TIMEOUT_MS };
  const { events, ended, requests } = await attempt(asked);
  if (ended.limit === "time" && requests.length < 2)
    throw new ProbeInconclusive("the program had not tried again when its time was over");
  const isRetried = events.some((event) => event.type === "retry" && event.code === code);
  return ended.outcome === "failed" ? ended.code === code : ended.limit === "time" && isRetried;
}

/** Half an answer must not count as complete: the run fails, or requests it again. */
async function noticesCut({ attempt }: FeatureTools): Promise<boolean> {
  const { ended, requests } = await attempt({ prompt: "[[cut]] Answer.", timeoutMs: ERROR_TIMEOUT_MS });
  return ended.outcome !== "done" || requests.filter(({ marker }) => marker === "cut").length > 1;
}

async function isInterrupted({ attempt }: FeatureTools): Promise<boolean> {
  const { ended } = await attempt({ prompt: "[[slow]] Answer.", stream: "auto" }, { interrupts: true });
  return ended.outcome === "aborted";
}

async function callsMcpTool({ attempt, place, can, toolModel: model }: FeatureTools): Promise<boolean> {
  const script = (request: SimRequest) => {
    // Some models are offered a search for tools first, and the tool once it was found.
    const isInReach = request.tools.some(({ name, isSearch }) => isSearch || name.endsWith("capstan_probe"));
    return isInReach && !request.isToolDone ? "call capstan_probe {}" : "text";
  };
  const mode = can.approvalModes.includes("yolo") ? { approvalMode: "yolo" as const } : {};
  const { requests } = await completeRun(
    attempt({ prompt: "Call it.", model, mcpServers: [place.mcpServer], ...mode }, { script }),
  );
  return wasSent(requests, MARKS.mcp);
}

const SCHEMA = {
  type: "object",
  properties: { answer: { type: "integer" } },
  required: ["answer"],
  additionalProperties: false,
};

async function answersBySchema({ attempt }: FeatureTools): Promise<boolean> {
  const { ended } = await attempt({ prompt: "Answer.", outputSchema: SCHEMA }, { script: structured });
  return ended.outcome === "done";
}

/** By the tool that some programs create for a schema, otherwise as text. */
function structured({ tools, isToolDone }: SimRequest): SimPlan {
  const tool = tools.find(({ name }) => /StructuredOutput/i.test(name));
  const call = tool && !isToolDone ? { tool, input: { answer: 42 }, text: "" } : null;
  return { kind: "answer", thinking: null, text: '{"answer":42}', call, isSlow: false };
}

async function completeRun(running: Promise<FeatureRun>): Promise<FeatureRun> {
  const run = await running;
  const { outcome, message = "no reason given" } = run.ended;
  if (outcome !== "done") throw new ProbeInconclusive(`the run ended as ${outcome}: ${message}`);
  return run;
}

const wasSent = (requests: readonly SimRequest[], mark: string) =>
  requests.some(({ body }) => JSON.stringify(body).includes(mark));

const isThere = ({ cwd }: ProbePlace, name: string): Promise<boolean> =>
  stat(join(cwd, name)).then(
    () => true,
    () => false,
  );
