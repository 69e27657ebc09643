/** The request of `POST /openai/v1/responses`: text or items, an earlier response to continue, function tools of the client. */
import { z } from "zod";
import { MediaUrl } from "../turns/media-url.ts";
import { Effort, emptyFields, ParallelCalls, samplingFields } from "./chat-request.ts";
import { given, type Said, toolChoiceOf, type UserPart } from "./run-input.ts";
import { type SaidBefore, unanswerable } from "./unanswerable.ts";

const InputText = z.strictObject({ type: z.enum(["input_text", "text"]), text: z.string() });
const InputImage = z.strictObject({
  type: z.literal("input_image"),
  image_url: MediaUrl,
  detail: z.enum(["auto", "low", "high"]).optional(),
});
const InputFile = z.strictObject({
  type: z.literal("input_file"),
  file_data: MediaUrl,
  filename: z.string().optional(),
});
const OutputText = z.strictObject({
  type: z.literal("output_text"),
  text: z.string(),
  annotations: z.array(z.unknown()).optional(),
  logprobs: z.array(z.unknown()).optional(),
});
const Status = z.enum(["in_progress", "completed", "incomplete"]).optional();

const InputMessage = z
  .strictObject({
    type: z.literal("message").optional(),
    id: z.string().optional(),
    status: Status,
    role: z.enum(["user", "system", "developer", "assistant"]),
    content: z.union([z.string(), z.array(z.union([InputText, InputImage, InputFile, OutputText]))]),
  })
  .superRefine(({ role, content }, context) => {
    if (role === "user" || typeof content === "string") return;
    for (const [at, part] of content.entries())
      if (!("text" in part))
        context.addIssue({
          code: "custom",
          path: ["content", at],
          message: "only a user's message may have files",
        });
  });
const FunctionCall = z.strictObject({
  type: z.literal("function_call"),
  id: z.string().optional(),
  status: Status,
  call_id: z.string(),
  name: z.string(),
  arguments: z.string(),
});
const FunctionOutput = z.strictObject({
  type: z.literal("function_call_output"),
  id: z.string().optional(),
  status: Status,
  call_id: z.string(),
  output: z.union([z.string(), z.array(InputText)]),
});
/** Clients send reasoning back unchanged; the session has its own. */
const Reasoning = z.looseObject({ type: z.literal("reasoning") });
const InputItem = z.union([InputMessage, FunctionCall, FunctionOutput, Reasoning]);
type InputItem = z.output<typeof InputItem>;

const FunctionTool = z.strictObject({
  type: z.literal("function"),
  name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/, "letters, digits, _ and -, at most 64"),
  description: z.string().nullish(),
  parameters: z.record(z.string(), z.unknown()).nullish(),
  strict: z.boolean().nullish(),
});

const TextFormat = z.discriminatedUnion("type", [
  z.strictObject({ type: z.literal("text") }),
  z.strictObject({ type: z.literal("json_object") }),
  z.strictObject({
    type: z.literal("json_schema"),
    name: z.string(),
    description: z.string().optional(),
    schema: z.record(z.string(), z.unknown()),
    strict: z.boolean().nullish(),
  }),
]);

export const ResponsesRequest = z
  .strictObject({
    ...samplingFields,
    ...emptyFields,
    model: z.string().min(1),
    input: z.union([z.string().min(1), z.array(InputItem).min(1)]),
    instructions: z.string().nullish(),
    previous_response_id: z.string().nullish(),
    stream: z.boolean().nullish(),
    stream_options: z.strictObject({ include_obfuscation: z.boolean().optional() }).nullish(),
    store: z.boolean().nullish(),
    tools: z.array(FunctionTool).max(128).optional(),
    tool_choice: z
      .union([
        z.enum(["none", "auto", "required"]),
        z.strictObject({ type: z.literal("function"), name: z.string() }),
      ])
      .optional(),
    parallel_tool_calls: ParallelCalls.nullish(),
    max_output_tokens: z.int().min(1).nullish(),
    reasoning: z
      .strictObject({ effort: Effort.nullish(), summary: z.enum(["auto", "concise", "detailed"]).nullish() })
      .nullish(),
    text: z.strictObject({ format: TextFormat.optional() }).nullish(),
    include: z.array(z.enum(["reasoning.encrypted_content"])).nullish(), // required from a client with store: false
    truncation: z.enum(["auto", "disabled"]).nullish(),
    background: z.literal(false).nullish(),
  })
  .superRefine(({ input, previous_response_id: previous }, context) => {
    if (typeof input === "string") return;
    for (const { at, message } of unanswerable(input.map(roleAndCalls), previous != null))
      context.addIssue({ code: "custom", path: at < 0 ? ["input"] : ["input", at], message });
    for (const [at, item] of input.entries())
      if (previous != null && "role" in item && item.role === "assistant")
        context.addIssue({ code: "custom", path: ["input", at], message: NOT_ITS_ANSWER });
  });

const NOT_ITS_ANSWER =
  "the earlier response's conversation has its own answers: leave this one out, or send the whole conversation without previous_response_id";

function roleAndCalls(item: InputItem): SaidBefore {
  if ("role" in item) return { role: String(item.role) };
  if (item.type === "function_call") return { role: "assistant", calls: [String(item.call_id)] };
  if (item.type === "function_call_output") return { role: "tool", callId: String(item.call_id) };
  return { role: "reasoning" };
}

export type ResponsesRequest = z.output<typeof ResponsesRequest>;

export function saidInResponses({ input, instructions }: ResponsesRequest): Said[] {
  const items: Said[] = typeof input === "string" ? [{ role: "user", content: input }] : joined(input);
  return instructions ? [{ role: "instructions", text: instructions }, ...items] : items;
}

/** A message and the calls that follow it are one answer; chat and responses give it the same key. */
function joined(items: readonly InputItem[]): Said[] {
  const said: Said[] = [];
  for (const item of items) {
    const next = saidOf(item);
    if (!next) continue;
    const last = said.at(-1);
    if (next.role === "assistant" && last?.role === "assistant")
      said[said.length - 1] = { ...last, text: last.text + next.text, calls: [...last.calls, ...next.calls] };
    else said.push(next);
  }
  return said;
}

function saidOf(item: InputItem): Said | undefined {
  if (item.type === "reasoning") return undefined;
  if (item.type === "function_call") {
    const { call_id: id, name, arguments: text } = item as z.output<typeof FunctionCall>;
    return { role: "assistant", text: "", calls: [{ id, name, arguments: text }] };
  }
  if (item.type === "function_call_output") {
    const { call_id: callId, output } = item as z.output<typeof FunctionOutput>;
    return { role: "tool", callId, text: typeof output === "string" ? output : textIn(output) };
  }
  const { role, content } = item as z.output<typeof InputMessage>;
  if (role === "user")
    return { role, content: typeof content === "string" ? content : content.map(userPart) };
  const text = typeof content === "string" ? content : textIn(content);
  return role === "assistant" ? { role, text, calls: [] } : { role: "instructions", text };
}

type ContentPart = Exclude<z.output<typeof InputMessage>["content"], string>[number];

const textIn = (parts: readonly ContentPart[]): string =>
  parts.map((part) => ("text" in part ? part.text : "")).join("");

function userPart(part: ContentPart): UserPart {
  if (part.type === "input_image") return { type: "media", kind: "image", url: part.image_url };
  if (part.type === "input_file") {
    const named = part.filename === undefined ? {} : { filename: part.filename };
    return { type: "media", kind: "document", url: part.file_data, ...named };
  }
  return { type: "text", text: part.text };
}

export function responsesForwarded(request: ResponsesRequest): Record<string, unknown> {
  const sampling = given({
    temperature: request.temperature,
    topP: request.top_p,
    maxOutputTokens: request.max_output_tokens,
  });
  const format = request.text?.format;
  const schema = format?.type === "json_schema" ? format.schema : { type: "object" };
  const choice = request.tool_choice;
  return given({
    reasoning: request.reasoning?.effort,
    outputSchema: format === undefined || format.type === "text" ? undefined : schema,
    toolChoice: typeof choice === "object" ? { name: choice.name } : toolChoiceOf(choice),
    sampling: Object.keys(sampling).length > 0 ? sampling : undefined,
  });
}
