/**
 * discover: what this agent can do, for a client. Computed from the composed agent, its model, its harness
 * and the server. Only what is true is declared; what is not built is absent, not false.
 */
import type { RuntimeAgent } from "./runtime-agent.ts";
import type { JsonSchema } from "./schema.ts";

export interface DiscoveredModel {
  readonly label: string;
  readonly supportsThinking: boolean;
  /** Thinking is streamed as text. */
  readonly streamsThinking: boolean;
  /** Thinking is returned in a form only the provider can read. */
  readonly encryptsThinking: boolean;
  readonly inputs: {
    readonly image: boolean;
    readonly audio: boolean;
    readonly video: boolean;
    readonly pdf: boolean;
  };
  readonly parallelCalls: boolean;
  readonly toolCalling: boolean;
}

export interface DiscoveredHarness {
  readonly name: string;
  readonly clientTools: boolean;
  readonly structuredOutput: boolean;
  readonly approvals: boolean;
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
    readonly parallelCalls?: true;
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
  readonly reasoning?: { readonly supported: true; readonly streaming?: true; readonly encrypted?: true };
  readonly multimodal?: {
    readonly input: Readonly<Partial<Record<"image" | "audio" | "video" | "pdf" | "file", true>>>;
  };
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
  readonly model: DiscoveredModel;
  readonly harness: DiscoveredHarness;
  readonly server: DiscoveredServer;
}

export function discover(parts: DiscoverParts): AgentCapabilities {
  const { agent, model, harness, server } = parts;
  return {
    identity: identityOf(agent),
    transport: { streaming: true, httpBinary: true, pushNotifications: true, resumable: true },
    ...toolsOf(parts),
    ...(harness.structuredOutput && {
      output: { structuredOutput: true, supportedMimeTypes: ["text/plain", "application/json"] },
    }),
    state: { snapshots: true, deltas: true, persistentState: true },
    ...multiAgentOf(agent),
    ...(model.supportsThinking && {
      reasoning: {
        supported: true,
        ...(model.streamsThinking && { streaming: true as const }),
        ...(model.encryptsThinking && { encrypted: true as const }),
      },
    }),
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

function identityOf({ spec }: RuntimeAgent): AgentCapabilities["identity"] {
  return {
    name: spec.name,
    type: "capstan",
    ...(spec.description !== "" && { description: spec.description }),
    version: `${spec.version}.0.0`,
    ...(spec.provider !== undefined && { provider: spec.provider }),
    ...(spec.documentationUrl !== undefined && { documentationUrl: spec.documentationUrl }),
    metadata: spec.metadata,
  };
}

function toolsOf({ agent, model, harness }: DiscoverParts): Pick<AgentCapabilities, "tools"> {
  if (!model.toolCalling) return { tools: { supported: false, items: [] } };
  const items = agent.tools.map(({ name, tool }) => ({
    name,
    description: tool.description,
    parameters: tool.input.jsonSchema,
  }));
  return {
    tools: {
      supported: true,
      items,
      ...(model.parallelCalls && { parallelCalls: true as const }),
      ...(harness.clientTools && { clientProvided: true as const }),
    },
  };
}

/** Both spellings of the list: the specification's, and the one of the protocol's 1.0. */
function multiAgentOf({ tools }: RuntimeAgent): Pick<AgentCapabilities, "multiAgent"> {
  const subAgents = tools.flatMap(({ tool }) => tool.subagent ?? []);
  const handsOver = tools.some(({ tool }) => tool.handsOverTo !== undefined);
  if (subAgents.length === 0 && !handsOver) return {};
  return {
    multiAgent: {
      supported: true,
      ...(subAgents.length > 0 && { delegation: true as const }),
      ...(handsOver && { handoffs: true as const }),
      subAgents,
      subagents: subAgents,
    },
  };
}

/** Any file can be put into the session when the agent has tools that read it; media go to the model when it accepts them. */
function inputsOf({ agent, model }: DiscoverParts): NonNullable<AgentCapabilities["multimodal"]>["input"] {
  const media = (["image", "audio", "video", "pdf"] as const).filter((kind) => model.inputs[kind]);
  const readsFiles = agent.tools.some(({ tool }) => tool.readsFiles);
  return Object.fromEntries([...media, ...(readsFiles ? ["file"] : [])].map((kind) => [kind, true as const]));
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
