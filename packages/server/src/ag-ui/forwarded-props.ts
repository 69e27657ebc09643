/**
 * The members of `forwardedProps` that Capstan defines. Others belong to other libraries and are ignored; an invalid
 * value of one of these is refused.
 */
import { fail, ok, type Result } from "@capstan/core";
import { misspeltField, readInput } from "@capstan/core/internal";
import { z } from "zod";

/** As AG-UI's clients and AI SDKs write it; `auto` is the default. */
const ToolChoice = z.union([
  z.literal("auto").transform(() => undefined),
  z.enum(["none", "required"]),
  z.strictObject({ name: z.string() }),
  z
    .strictObject({ type: z.literal("function"), function: z.strictObject({ name: z.string() }) })
    .transform((choice) => ({ name: choice.function.name })),
]);

const Sampling = z.strictObject({
  temperature: z.number().min(0).max(2).optional(),
  topP: z.number().min(0).max(1).optional(),
  maxOutputTokens: z.int().min(1).optional(),
  seed: z.int().optional(),
  presencePenalty: z.number().min(-2).max(2).optional(),
  frequencyPenalty: z.number().min(-2).max(2).optional(),
  stopSequences: z.array(z.string()).max(16).optional(),
});

/** As in AG-UI's `PredictState` event. */
const Predicted = z
  .strictObject({
    state_key: z.string().min(1),
    tool: z.string().min(1),
    tool_argument: z.string().optional(),
  })
  .transform(({ state_key, tool, tool_argument }) => ({
    stateKey: state_key,
    tool,
    argument: tool_argument,
  }));

/** A name without a provider is another library's name for a model: it is ignored with a warning to the client. */
const PROVIDER_MODEL = /^[\w.-]+\/.+$/;

const ForwardedSchema = z.object({
  model: z.string().optional(),
  reasoning: z.enum(["none", "minimal", "low", "medium", "high", "xhigh", "max"]).optional(),
  outputSchema: z.record(z.string(), z.unknown()).optional(),
  webhook: z.strictObject({ url: z.url({ protocol: /^https?$/ }) }).optional(),
  toolChoice: ToolChoice.optional(),
  sampling: Sampling.optional(),
  predictState: z.array(Predicted).max(20).optional(),
  /** What happens to the run when this client disconnects. */
  onDisconnect: z.enum(["continue", "cancel"]).optional(),
  disconnectGraceSeconds: z.number().min(0).max(3600).optional(),
  /** Leave no session behind, for suggestions and other one-off calls. */
  ephemeral: z.boolean().optional(),
});

export type Forwarded = z.output<typeof ForwardedSchema>;

export interface ReadForwarded {
  readonly props: Forwarded;
  /** The warnings about members without effect. */
  readonly passedOver: readonly string[];
}

export function readForwarded(props: unknown): Result<ReadForwarded> {
  const otherSpelling = typeof props === "object" && props !== null ? misspeltField(props, OURS) : undefined;
  if (otherSpelling !== undefined)
    return fail("input_invalid", { where: `forwardedProps: ${otherSpelling}` });
  const read = readInput(ForwardedSchema, props ?? {});
  if (!read.ok) return fail("input_invalid", { where: `forwardedProps: ${read.where}`, issues: read.faults });
  const passedOver = answersForOthers(props) ? [NO_RESUME] : [];
  const { model, ...rest } = read.value;
  if (model === undefined || PROVIDER_MODEL.test(model)) return ok({ props: read.value, passedOver });
  const told = `forwardedProps.model ${JSON.stringify(model)} is not provider/model, and was passed over`;
  return ok({ props: rest, passedOver: [...passedOver, told] });
}

/** LangGraph's way to answer an interrupt, which is not the protocol's. */
const answersForOthers = (props: unknown): boolean =>
  (props as { command?: { resume?: unknown } } | null)?.command?.resume !== undefined;
const NO_RESUME =
  "forwardedProps.command.resume answers no interrupt here; send `resume` with the interrupt's id";

const OURS = Object.keys(ForwardedSchema.shape);
