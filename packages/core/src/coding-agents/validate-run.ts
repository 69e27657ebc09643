/**
 * validateRun: whether a run may start. Every rule of the seed's sections 8.4 and 11, decided before anything is spawned.
 *
 * A model's own value beats the agent's; what a probe found on this machine beats both.
 */
import { fail } from "../failures/fail.ts";
import { ok, type Refused, type Result } from "../result.ts";
import {
  type AgentTransport,
  type CodingAgentCapabilities,
  type EffectiveCapabilities,
  overTransport,
} from "./capabilities.ts";
import { capabilityRefused, type GatedCapability } from "./capability-error.ts";
import type { ModelCapabilities } from "./model.ts";
import type { Attachment, RunOptions } from "./run-options.ts";

export type StreamKind = "text" | "tool-call" | "thinking";

/** What the runner must do differently for a run that may start. */
export interface RunCheck {
  /** With `stream: "auto"`: the kinds that arrive unstreamed; the runner reports them in `stream_fallback`. */
  readonly streamFallback: readonly StreamKind[];
}

/** Facts besides the agent and the model that the options name. */
export interface RunSetting {
  /** The model used when the options name none; only thinking is checked against it. */
  readonly defaultModel?: ModelCapabilities | null;
  /** The run's transport; what it cannot do is refused, whatever the agent and the model can. */
  readonly transport?: AgentTransport | undefined;
}

export function validateRun(
  options: RunOptions,
  capabilities: CodingAgentCapabilities | EffectiveCapabilities,
  model: ModelCapabilities | null,
  { defaultModel = null, transport }: RunSetting = {},
): Result<RunCheck> {
  const thinker = options.model === undefined ? (model ?? defaultModel) : model;
  const run = { options, agent: overTransport(capabilities, transport), model, thinker, transport };
  for (const rule of RULES) {
    const refused = rule(run);
    if (refused) return refused;
  }
  return ok({ streamFallback: options.stream === "auto" ? bufferedKinds(run) : [] });
}

interface Run {
  readonly options: RunOptions;
  readonly agent: CodingAgentCapabilities | EffectiveCapabilities;
  readonly model: ModelCapabilities | null;
  /** The model that will think: the named one, else the agent's default. */
  readonly thinker: ModelCapabilities | null;
  readonly transport?: AgentTransport | undefined;
}
type Rule = (run: Run) => Refused | undefined;
type Flag<T> = { [Key in keyof T]-?: T[Key] extends boolean ? Key : never }[keyof T];
type AgentFlag = Flag<CodingAgentCapabilities>;
type ModelFlag = Flag<ModelCapabilities>;

interface Need {
  readonly capability: GatedCapability;
  /** Completes "does not support ...". */
  readonly what: string;
  readonly asked: (options: RunOptions) => boolean;
  readonly agentFlag: AgentFlag;
  readonly modelFlag?: ModelFlag;
}

/** Section 11, row by row; thinking has its own rules. */
const NEEDS: readonly Need[] = [
  {
    capability: "jsonMode",
    what: "JSON output mode",
    asked: ({ outputFormat }) => outputFormat === "json",
    agentFlag: "supportsJsonMode",
    modelFlag: "supportsJsonMode",
  },
  {
    capability: "structuredOutput",
    what: "structured output",
    asked: ({ outputSchema }) => outputSchema !== undefined,
    agentFlag: "supportsStructuredOutput",
    modelFlag: "supportsStructuredOutput",
  },
  {
    capability: "resume",
    what: "resuming sessions",
    asked: ({ sessionId }) => sessionId !== undefined,
    agentFlag: "canResume",
  },
  {
    capability: "fork",
    what: "forking sessions",
    asked: ({ forkSessionId }) => forkSessionId !== undefined,
    agentFlag: "canFork",
  },
  {
    capability: "skills",
    what: "skills",
    asked: ({ skills }) => skills !== undefined && skills.length > 0,
    agentFlag: "supportsSkills",
  },
  {
    capability: "mcp",
    what: "MCP servers",
    asked: ({ mcpServers }) => mcpServers !== undefined && mcpServers.length > 0,
    agentFlag: "supportsMCP",
  },
  {
    capability: "streaming",
    what: "text streaming",
    asked: ({ stream }) => stream === true,
    agentFlag: "supportsTextStreaming",
    modelFlag: "supportsTextStreaming",
  },
  {
    capability: "imageInput",
    what: "image input",
    asked: ({ attachments }) => attachments?.some(isImage) === true,
    agentFlag: "supportsImageInput",
    modelFlag: "supportsImageInput",
  },
  {
    capability: "fileAttachments",
    what: "file attachments",
    asked: ({ attachments }) => attachments?.some((attachment) => !isImage(attachment)) === true,
    agentFlag: "supportsFileAttachments",
    modelFlag: "supportsFileInput",
  },
];

/** The first rule that refuses decides. */
const RULES: readonly Rule[] = [
  effortSupported,
  effortListed,
  budgetSupported,
  budgetInRange,
  ...NEEDS.map(
    (need): Rule =>
      (run) =>
        need.asked(run.options) && !holds(run, need.agentFlag, need.modelFlag) ? lacks(run, need) : undefined,
  ),
  imageArrives,
  approvalModeOffered,
];

function effortSupported(run: Run): Refused | undefined {
  const { options, agent, thinker: model } = run;
  const thinks = holds({ ...run, model }, "supportsThinking", "supportsThinking");
  if (options.thinkingEffort === undefined || thinks) return;
  const message =
    agent.supportsThinking && model
      ? modelCannotThink(agent, model)
      : `Agent '${agent.agent}' does not support thinking/reasoning mode`;
  return capabilityRefused(agent.agent, "thinking", message);
}

function effortListed({ options, agent, thinker: model }: Run): Refused | undefined {
  const level = options.thinkingEffort;
  if (level === undefined || (model?.thinkingEffortLevels ?? agent.thinkingEffortLevels).includes(level))
    return;
  const who = model ? `Model '${model.modelId}'` : `Agent '${agent.agent}'`;
  return capabilityRefused(
    agent.agent,
    "thinking",
    `${who} does not support thinking effort level '${level}'`,
  );
}

function budgetSupported(run: Run): Refused | undefined {
  const { options, agent, thinker: model } = run;
  if (options.thinkingBudgetTokens === undefined || takesBudget(run)) return;
  if (agent.supportsThinkingBudgetTokens && model && !model.supportsThinking) {
    return capabilityRefused(agent.agent, "thinking", modelCannotThink(agent, model));
  }
  const message =
    model && run.model === null && agent.supportsThinkingBudgetTokens
      ? `Model '${model.modelId}', the default of agent '${agent.agent}', takes no numeric thinking budget`
      : `Agent '${agent.agent}' does not support numeric thinking budget`;
  return capabilityRefused(agent.agent, "thinkingBudget", message);
}

function budgetInRange({ options, agent, thinker: model }: Run): Refused | undefined {
  const budget = options.thinkingBudgetTokens;
  if (budget === undefined || !model?.thinkingBudgetRange) return;
  const [least, most] = model.thinkingBudgetRange;
  if (budget >= least && budget <= most) return;
  const message = `Thinking budget ${budget} is outside valid range [${least}, ${most}] for model '${model.modelId}'`;
  return capabilityRefused(agent.agent, "thinkingBudget", message);
}

/** Programs drop images of other types silently (seen with BMP and SVG on four of six). */
const ARRIVING = /^image\/(png|jpe?g|gif|webp)$|\.(png|jpe?g|gif|webp)$/i;

function imageArrives({ options, agent }: Run): Refused | undefined {
  const kinds = (options.attachments ?? []).filter(isImage).map(kindOf);
  const lost = kinds.find((kind) => !ARRIVING.test(kind));
  if (lost === undefined) return;
  const message = `Agent '${agent.agent}' does not support image input of the type ${lost}: only PNG, JPEG, GIF and WebP arrive`;
  return capabilityRefused(agent.agent, "imageInput", message);
}

/** Its media type, or the end of its name. */
const kindOf = (attachment: Attachment): string =>
  attachment.mimeType ??
  ("path" in attachment ? attachment.path.slice(attachment.path.lastIndexOf(".")) : "");

/** With an unsupported mode tools would run without asking, or ask nobody; a refusal is better. */
function approvalModeOffered({ options, agent }: Run): Refused | undefined {
  const mode = options.approvalMode;
  if (mode === undefined || agent.approvalModes.includes(mode)) return;
  return fail("approval_mode_unsupported", { agent: agent.agent, mode, modes: agent.approvalModes });
}

/** The model's value if a model is given, otherwise the agent's; what a probe or the transport lacks stays missing. */
function holds({ agent, model, transport }: Run, agentFlag: AgentFlag, modelFlag?: ModelFlag): boolean {
  if ("observed" in agent && agent.observed[agentFlag] === false) return false;
  if (transport?.differs[agentFlag] === false) return false;
  return model && modelFlag ? model[modelFlag] : agent[agentFlag];
}

function takesBudget(run: Run): boolean {
  const { agent, thinker: model } = run;
  if ("observed" in agent && agent.observed.supportsThinkingBudgetTokens === false) return false;
  if (!model) return agent.supportsThinkingBudgetTokens;
  if (!model.supportsThinking) return false;
  if (model.supportsThinkingBudgetTokens !== undefined) return model.supportsThinkingBudgetTokens;
  return model.thinkingBudgetRange !== undefined || agent.supportsThinkingBudgetTokens;
}

function lacks(run: Run, { capability, what, agentFlag, modelFlag }: Need): Refused {
  const { agent, model } = run;
  const byModel = model && modelFlag && holds({ ...run, model: null }, agentFlag);
  const over =
    run.transport?.differs[agentFlag] === false ? ` over its transport '${run.transport.name}'` : "";
  const who = byModel
    ? `Model '${model.modelId}' on agent '${agent.agent}'`
    : `Agent '${agent.agent}'${over}`;
  return capabilityRefused(agent.agent, capability, `${who} does not support ${what}`);
}

function bufferedKinds(run: Run): StreamKind[] {
  const kinds: [StreamKind, boolean][] = [
    ["text", holds(run, "supportsTextStreaming", "supportsTextStreaming")],
    ["tool-call", holds(run, "supportsToolCallStreaming", "supportsToolCallStreaming")],
    ["thinking", holds(run, "supportsThinkingStreaming", "supportsThinkingStreaming")],
  ];
  return kinds.filter(([, streams]) => !streams).map(([kind]) => kind);
}

const modelCannotThink = (agent: CodingAgentCapabilities, model: ModelCapabilities) =>
  `Model '${model.modelId}' on agent '${agent.agent}' does not support thinking`;

const IMAGE_PATH = /\.(png|jpe?g|gif|webp|bmp|tiff?|heic|avif)$/i;

/** By media type if given, otherwise by file extension. */
export function isImage(attachment: Attachment): boolean {
  if (attachment.mimeType !== undefined) return attachment.mimeType.startsWith("image/");
  return "path" in attachment && IMAGE_PATH.test(attachment.path);
}
