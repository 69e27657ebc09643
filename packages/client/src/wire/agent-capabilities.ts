/** AG-UI's `AgentCapabilities`, the categories of the specification: what an agent can do. Absent is unknown. */
import { z } from "zod";
import { JsonObject } from "./page.ts";

const flag = z.boolean().optional();
const text = z.string().optional();
/** Named, because generators name what is not after its field: two files that differ in one letter's case. */
const SubAgent = z.object({ name: z.string(), description: text }).meta({ id: "SubAgent" });
const SubAgents = z.array(SubAgent).optional();

const Identity = z.object({
  name: text,
  type: text,
  description: text,
  version: text,
  provider: text,
  documentationUrl: text,
  metadata: JsonObject.optional(),
});
const Tools = z.object({
  supported: flag,
  items: z
    .array(z.object({ name: z.string(), description: z.string(), parameters: JsonObject.optional() }))
    .optional(),
  parallelCalls: flag,
  clientProvided: flag,
});
const Multimodal = z.object({
  input: z.object({ image: flag, audio: flag, video: flag, pdf: flag, file: flag }).optional(),
  output: z.object({ image: flag, audio: flag }).optional(),
});
const Execution = z.object({
  codeExecution: flag,
  sandboxed: flag,
  maxIterations: z.int().optional(),
  maxExecutionTime: z.int().optional(),
});
const HumanInTheLoop = z.object({
  supported: flag,
  approvals: flag,
  interventions: flag,
  feedback: flag,
  interrupts: flag,
  approveWithEdits: flag,
});
const MultiAgent = z.object({
  supported: flag,
  delegation: flag,
  handoffs: flag,
  subAgents: SubAgents,
  subagents: SubAgents,
});
const Transport = z.object({
  streaming: flag,
  websocket: flag,
  httpBinary: flag,
  pushNotifications: flag,
  resumable: flag,
});

export const AgentCapabilitiesDocument = z
  .object({
    identity: Identity.optional(),
    transport: Transport.optional(),
    tools: Tools.optional(),
    output: z
      .object({ structuredOutput: flag, supportedMimeTypes: z.array(z.string()).optional() })
      .optional(),
    state: z.object({ snapshots: flag, deltas: flag, memory: flag, persistentState: flag }).optional(),
    multiAgent: MultiAgent.optional(),
    reasoning: z.object({ supported: flag, streaming: flag, encrypted: flag }).optional(),
    multimodal: Multimodal.optional(),
    execution: Execution.optional(),
    humanInTheLoop: HumanInTheLoop.optional(),
    custom: JsonObject.optional(),
    observed: z
      .array(JsonObject)
      .optional()
      .meta({ description: "What runs really showed, when asked for." }),
  })
  .meta({ id: "AgentCapabilities" });
export const CapabilitiesQuery = z.strictObject({ observed: z.enum(["true", "false"]).optional() });
