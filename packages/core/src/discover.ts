/**
 * discover: what this agent can do, for a client. Computed from the composed agent, its model, its harness
 * and the server. What is not built is absent. What the model decides is true or false where the model is known, and
 * absent where unknown.
 */
import type { RuntimeAgent, RuntimeTool } from "./runtime-agent.ts";
import type { JsonSchema } from "./schema.ts";

type MediaKind = "image" | "audio" | "video" | "pdf";

/** What a model can do; unknown features are absent. */
export interface DiscoveredModel {
  readonly label: string;
  readonly thinking?: {
    readonly supported: boolean;
    /** Thinking is streamed as text. */
    readonly streaming: boolean;
    /** Thinking is returned in a form only the provider can read. */
    readonly encrypted: boolean;
  };
  readonly inputs: Readonly<Partial<Record<MediaKind, boolean>>>;
  readonly parallelCalls?: boolean;
  /** Whether tools are offered to it. */
  readonly toolCalling: boolean;
}

export interface DiscoveredHarness {
  readonly name: string;
  readonly clientTools: boolean;
  readonly structuredOutput: boolean;
}

export interface DiscoveredServer {
  readonly maxRequestsPerMinute: number;
  readonly defaultMaxSteps: number;
  readonly defaultMaxSeconds: number;
  readonly version: string;
}

/** AG-UI's `AgentCapabilities`, in our own types: the categories of the specification. */
export interface AgentCapabilities {
  readonly identity: {
    readonly name: string;
    readonly type: string;
    readonly description?: string;
    readonly version: string;
    readonly provider?: string;
    readonly documentationUrl?: string;
    readonly metadata: Readonly<Record<string, unknown>>;
  };
  readonly transport: {
    readonly streaming: true;
    readonly httpBinary: true;
    readonly pushNotifications: true;
    readonly resumable: true;
  };
  readonly tools?: {
    readonly supported: boolean;
    readonly items: readonly {
      readonly name: string;
      readonly description: string;
      readonly parameters: JsonSchema;
    }[];
    readonly parallelCalls?: boolean;
    readonly clientProvided?: true;
  };
  readonly output?: { readonly structuredOutput: true; readonly supportedMimeTypes: readonly string[] };
  readonly state: {
    readonly snapshots: true;
    readonly deltas: true;
    readonly persistentState: true;
    readonly memory?: true;
  };
  readonly multiAgent?: {
    readonly supported: true;
    readonly delegation?: true;
    readonly handoffs?: true;
    readonly subAgents: readonly SubAgent[];
    readonly subagents: readonly SubAgent[];
  };
  readonly reasoning?: {
    readonly supported: boolean;
    readonly streaming: boolean;
    readonly encrypted: boolean;
  };
  readonly multimodal?: { readonly input: Readonly<Partial<Record<MediaKind | "file", boolean>>> };
  readonly execution: {
    readonly codeExecution?: true;
    readonly sandboxed?: true;
    readonly maxIterations: number;
    readonly maxExecutionTime: number;
  };
  readonly humanInTheLoop: {
    readonly supported: true;
    readonly approvals: true;
    readonly feedback: true;
    readonly interrupts: true;
    readonly approveWithEdits: true;
    readonly interventions?: true;
  };
  readonly custom: {
    readonly rateLimit: { readonly maxRequestsPerMinute: number };
    readonly model: string;
    readonly harness: string;
    /** The agent's capabilities, dependencies included. */
    readonly capabilities: readonly { readonly id: string; readonly version: string }[];
    readonly hiddenTools: readonly { readonly name: string; readonly reason: string }[];
    readonly tokens: RuntimeAgent["tokens"];
  };
}

export interface SubAgent {
  readonly name: string;
  readonly description?: string;
}

export interface DiscoverParts {
  readonly agent: RuntimeAgent;
  /** The semantic version of what the agent offers. */
  readonly version: string;
  readonly model: DiscoveredModel;
  readonly harness: DiscoveredHarness;
  readonly server: DiscoveredServer;
  /** Tools that a run adds to those of the agent, such as the one that changes the shared state. */
  readonly runTools?: readonly RuntimeTool[];
}

export function discover(parts: DiscoverParts): AgentCapabilities {
  const { agent, model, harness, server } = parts;
  return {
    identity: identityOf(parts),
    transport: { streaming: true, httpBinary: true, pushNotifications: true, resumable: true },
    ...toolsOf(parts),
    ...(harness.structuredOutput && {
      output: { structuredOutput: true, supportedMimeTypes: ["text/plain", "application/json"] },
    }),
    state: {
      snapshots: true,
      deltas: true,
      persistentState: true,
      ...(agent.tools.some(({ tool }) => tool.recalls) && { memory: true as const }),
    },
    ...multiAgentOf(agent),
    ...(model.thinking && { reasoning: model.thinking }),
    multimodal: { input: inputsOf(parts) },
    execution: executionOf(agent, server),
    humanInTheLoop: {
      supported: true,
      approvals: true,
      feedback: true,
      interrupts: true,
      approveWithEdits: true,
    },
    custom: {
      rateLimit: { maxRequestsPerMinute: server.maxRequestsPerMinute },
      model: model.label,
      harness: harness.name,
      capabilities: agent.capabilities
        .filter(({ excluded }) => !excluded)
        .map(({ id, version }) => ({ id, version })),
      hiddenTools: agent.hidden.map(({ name, reason }) => ({ name, reason })),
      tokens: agent.tokens,
    },
  };
}

function identityOf({ agent: { spec }, version }: DiscoverParts): AgentCapabilities["identity"] {
  return {
    name: spec.name,
    type: "capstan",
    ...(spec.description !== "" && { description: spec.description }),
    version,
    ...(spec.provider !== undefined && { provider: spec.provider }),
    ...(spec.documentationUrl !== undefined && { documentationUrl: spec.documentationUrl }),
    metadata: spec.metadata,
  };
}

function toolsOf({ agent, model, harness, runTools = [] }: DiscoverParts): Pick<AgentCapabilities, "tools"> {
  if (!model.toolCalling) return { tools: { supported: false, items: [] } };
  const items = [...agent.tools, ...runTools].map(({ name, tool }) => ({
    name,
    description: tool.description,
    parameters: tool.input.jsonSchema,
  }));
  return {
    tools: {
      supported: true,
      items,
      ...(model.parallelCalls !== undefined && { parallelCalls: model.parallelCalls }),
      ...(harness.clientTools && { clientProvided: true as const }),
    },
  };
}

/** Both spellings of the list: the specification's, and the one of the protocol's 1.0. */
function multiAgentOf({ tools }: RuntimeAgent): Pick<AgentCapabilities, "multiAgent"> {
  const delegates = tools.flatMap(({ tool }) => tool.subagent ?? []);
  const handsOver = tools.flatMap(({ tool }) => tool.handsOverTo ?? []);
  if (delegates.length === 0 && handsOver.length === 0) return {};
  const subAgents = [...new Map([...delegates, ...handsOver].map(({ id, ...told }) => [id, told])).values()];
  return {
    multiAgent: {
      supported: true,
      ...(delegates.length > 0 && { delegation: true as const }),
      ...(handsOver.length > 0 && { handoffs: true as const }),
      subAgents,
      subagents: subAgents,
    },
  };
}

/** Any file can be put into the session when the agent has tools that read it; media go to the model when it accepts them. */
function inputsOf({ agent, model }: DiscoverParts): NonNullable<AgentCapabilities["multimodal"]>["input"] {
  const readsFiles = agent.tools.some(({ tool }) => tool.readsFiles);
  return { ...model.inputs, ...(readsFiles && { file: true }) };
}

function executionOf(
  { tools, spec }: RuntimeAgent,
  server: DiscoveredServer,
): AgentCapabilities["execution"] {
  const running = tools.flatMap(({ tool }) => tool.runsCode ?? []);
  const sandboxed = running.length > 0 && running.every((code) => code.sandboxed);
  return {
    ...(running.length > 0 && { codeExecution: true as const }),
    ...(sandboxed && { sandboxed: true as const }),
    maxIterations: spec.limits.maxSteps ?? server.defaultMaxSteps,
    maxExecutionTime: Math.round((spec.limits.maxSeconds ?? server.defaultMaxSeconds) * 1000),
  };
}
