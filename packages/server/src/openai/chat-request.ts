/** The request of `POST /openai/v1/chat/completions`. Fields without effect on an agent are refused unless they are at their default. */
import { z } from "zod";
import { Base64, MediaUrl } from "../turns/media-url.ts";
import { type SaidBefore, unanswerable } from "./unanswerable.ts";

const Text = z.strictObject({ type: z.literal("text"), text: z.string() });
const Image = z.strictObject({
  type: z.literal("image_url"),
  image_url: z.strictObject({ url: MediaUrl, detail: z.enum(["auto", "low", "high"]).optional() }),
});
const File = z.strictObject({
  type: z.literal("file"),
  file: z.strictObject({ file_data: MediaUrl, filename: z.string().optional() }),
});
const Audio = z.strictObject({
  type: z.literal("input_audio"),
  input_audio: z.strictObject({ data: Base64, format: z.enum(["wav", "mp3"]) }),
});

export const UserContent = z.union([
  z.string(),
  z.array(z.discriminatedUnion("type", [Text, Image, File, Audio])),
]);
const Words = z.union([z.string(), z.array(Text)]);

const ToolCall = z.strictObject({
  id: z.string(),
  type: z.literal("function"),
  index: z.int().optional(), // some clients send a streamed call back unchanged
  function: z.strictObject({ name: z.string(), arguments: z.string() }),
});

const ChatMessage = z.discriminatedUnion("role", [
  z.strictObject({ role: z.literal("system"), content: Words, name: z.string().optional() }),
  z.strictObject({ role: z.literal("developer"), content: Words, name: z.string().optional() }),
  z.strictObject({ role: z.literal("user"), content: UserContent, name: z.string().optional() }),
  z.strictObject({
    role: z.literal("assistant"),
    content: Words.nullish(),
    refusal: z.null().optional(),
    annotations: z.array(z.unknown()).optional(),
    audio: z.null().optional(),
    reasoning_content: z.string().nullish(),
    name: z.string().optional(),
    tool_calls: z.array(ToolCall).optional(),
  }),
  z.strictObject({ role: z.literal("tool"), content: Words, tool_call_id: z.string() }),
]);
export type ChatMessage = z.output<typeof ChatMessage>;

const FunctionTool = z.strictObject({
  type: z.literal("function"),
  function: z.strictObject({
    name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/, "letters, digits, _ and -, at most 64"),
    description: z.string().default(""),
    parameters: z.record(z.string(), z.unknown()).optional(),
    strict: z.boolean().nullish(),
  }),
});

export const ToolChoice = z.union([
  z.enum(["none", "auto", "required"]),
  z.strictObject({ type: z.literal("function"), function: z.strictObject({ name: z.string() }) }),
]);

const ResponseFormat = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("text") }),
  z.strictObject({ type: z.literal("json_object") }),
  z.strictObject({
    type: z.literal("json_schema"),
    json_schema: z.strictObject({
      name: z.string(),
      description: z.string().optional(),
      schema: z.record(z.string(), z.unknown()),
      strict: z.boolean().nullish(),
    }),
  }),
]);

export const Effort = z.enum(["none", "minimal", "low", "medium", "high", "xhigh", "max"]);

/** Sampling settings passed to the agent's model unchanged. */
export const samplingFields = {
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
};

/** Fields without meaning for an agent: default values are accepted, all others refused. */
export const emptyFields = {
  service_tier: z.enum(["auto", "default"]).nullish(),
  user: z.string().max(500).nullish(),
  safety_identifier: z.string().max(500).nullish(),
  prompt_cache_key: z.string().max(500).nullish(),
  prompt_cache_retention: z.string().nullish(),
  metadata: z.record(z.string(), z.string()).nullish(),
};

/** Which calls are made at once is the agent's model's own choice. */
export const ParallelCalls = z.literal(
  true,
  "cannot be false: the agent's model may make several calls at once",
);

export const ChatRequest = z
  .strictObject({
    ...samplingFields,
    ...emptyFields,
    model: z.string().min(1),
    messages: z.array(ChatMessage).min(1),
    stream: z.boolean().nullish(),
    stream_options: z
      .strictObject({ include_usage: z.boolean().optional(), include_obfuscation: z.boolean().optional() })
      .nullish(),
    tools: z.array(FunctionTool).max(128).optional(),
    tool_choice: ToolChoice.optional(),
    parallel_tool_calls: ParallelCalls.optional(),
    response_format: ResponseFormat.optional(),
    reasoning_effort: Effort.nullish(),
    store: z.boolean().nullish(),
    max_tokens: z.int().min(1).nullish(),
    max_completion_tokens: z.int().min(1).nullish(),
    seed: z.int().nullish(),
    stop: z.union([z.string(), z.array(z.string()).max(4)]).nullish(),
    presence_penalty: z.number().min(-2).max(2).nullish(),
    frequency_penalty: z.number().min(-2).max(2).nullish(),
    n: z.literal(1).nullish(),
    logprobs: z.literal(false).nullish(),
    top_logprobs: z.literal(0).nullish(),
    logit_bias: z.strictObject({}).nullish(),
    modalities: z.tuple([z.literal("text")]).nullish(),
  })
  .superRefine((request, context) => {
    const said = request.messages.map(roleAndCalls);
    for (const { at, message } of unanswerable(said))
      context.addIssue({ code: "custom", path: at < 0 ? ["messages"] : ["messages", at], message });
    const { max_tokens: old, max_completion_tokens: limit } = request;
    if (old != null && limit != null && old !== limit)
      context.addIssue({
        code: "custom",
        path: ["max_tokens"],
        message: "is not max_completion_tokens: send one",
      });
  });

function roleAndCalls(message: ChatMessage): SaidBefore {
  if (message.role === "assistant")
    return { role: "assistant", calls: (message.tool_calls ?? []).map(({ id }) => id) };
  return message.role === "tool" ? { role: "tool", callId: message.tool_call_id } : { role: message.role };
}

export type ChatRequest = z.output<typeof ChatRequest>;
