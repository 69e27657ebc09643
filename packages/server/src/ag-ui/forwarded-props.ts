/**
 * The members of `forwardedProps` that Capstan defines. Others belong to other libraries and are passed over; one of
 * these with a wrong value is refused.
 */
import { fail, ok, type Result } from "@capstan/core";
import { whatIsWrong } from "@capstan/core/internal";
import { z } from "zod";

/** As AG-UI's clients and AI SDKs write it; `auto` is the default. */
const ToolChoice = z.union([
  z.literal("auto").transform(() => undefined),
  z.enum(["none", "required"]),
  z.object({ name: z.string() }),
  z
    .object({ type: z.literal("function"), function: z.object({ name: z.string() }) })
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

/** As AG-UI's `PredictState` event names them. */
const Predicted = z
  .object({ state_key: z.string().min(1), tool: z.string().min(1), tool_argument: z.string().optional() })
  .transform(({ state_key, tool, tool_argument }) => ({
    stateKey: state_key,
    tool,
    argument: tool_argument,
  }));

const ForwardedSchema = z.object({
  /** `provider/model`; a bare name is another library's and not ours. */
  model: z
    .string()
    .regex(/^[\w.-]+\/.+$/)
    .optional()
    .catch(undefined),
  reasoning: z.enum(["none", "minimal", "low", "medium", "high", "xhigh", "max"]).optional(),
  outputSchema: z.record(z.string(), z.unknown()).optional(),
  webhook: z.object({ url: z.url({ protocol: /^https?$/ }) }).optional(),
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

export function readForwarded(props: unknown): Result<Forwarded> {
  const parsed = ForwardedSchema.safeParse(props ?? {});
  return parsed.success
    ? ok(parsed.data)
    : fail("input_invalid", { where: `forwardedProps: ${whatIsWrong(parsed.error)}` });
}
