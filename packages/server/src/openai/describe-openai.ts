/** The OpenAI routes in /openapi.json. They report invalid input in OpenAI's own shape, so they are only described there, not validated. */
import { z } from "zod";
import type { newRoutes } from "../http/define-route.ts";
import { authority } from "../http/define-route.ts";
import { ChatRequest } from "./chat-request.ts";
import { ResponsesRequest } from "./responses-request.ts";

type Registry = ReturnType<typeof newRoutes>["openAPIRegistry"];

const count = z.int();
const Call = z.object({
  id: z.string(),
  type: z.literal("function"),
  function: z.object({ name: z.string(), arguments: z.string() }),
});
const ChatCompletion = z
  .looseObject({
    id: z.string(),
    object: z.literal("chat.completion"),
    created: count,
    model: z.string(),
    choices: z.array(
      z.looseObject({
        index: count,
        message: z.looseObject({
          role: z.literal("assistant"),
          content: z.string().nullable(),
          reasoning_content: z.string().optional(),
          tool_calls: z.array(Call).optional(),
        }),
        finish_reason: z.string(),
      }),
    ),
    usage: z.looseObject({ prompt_tokens: count, completion_tokens: count, total_tokens: count }),
  })
  .meta({ id: "ChatCompletion" });
const ResponseObject = z
  .looseObject({
    id: z.string(),
    object: z.literal("response"),
    created_at: count,
    status: z.enum(["in_progress", "completed", "failed"]),
    model: z.string(),
    output: z.array(z.looseObject({ type: z.string(), id: z.string() })),
    output_text: z.string(),
    previous_response_id: z.string().nullable(),
    usage: z.looseObject({ input_tokens: count, output_tokens: count, total_tokens: count }).optional(),
  })
  .meta({ id: "ResponseObject" });
const AgentAsModel = z
  .object({ id: z.string(), object: z.literal("model"), created: count, owned_by: z.string() })
  .meta({ id: "AgentAsModel" });
const AgentsAsModels = z.object({ object: z.literal("list"), data: z.array(AgentAsModel) });
const Stream = z.string();
const Failed = z.object({
  error: z.object({ message: z.string(), type: z.string(), param: z.null(), code: z.string() }),
});

const failed = {
  default: {
    description: "An error in OpenAI's format.",
    content: { "application/json": { schema: Failed } },
  },
};

export function describeOpenAi(registry: Registry): void {
  const post = (
    path: string,
    operationId: string,
    summary: string,
    [schema, answer]: readonly [z.ZodType, z.ZodType],
  ) =>
    registry.registerPath({
      method: "post",
      path,
      operationId,
      summary,
      tags: ["openai"],
      ...authority("agent", "use"),
      request: { body: { required: true, content: { "application/json": { schema } } } },
      responses: {
        200: {
          description: "The answer, complete or streamed.",
          content: { "application/json": { schema: answer }, "text/event-stream": { schema: Stream } },
        },
        ...failed,
      },
    });
  const get = (
    path: string,
    operationId: string,
    summary: string,
    [schema, params]: readonly [z.ZodType, z.ZodObject?],
  ) =>
    registry.registerPath({
      method: "get",
      path,
      operationId,
      summary,
      tags: ["openai"],
      ...authority("agent", "see"),
      ...(params && { request: { params } }),
      responses: {
        200: { description: "Agents as models.", content: { "application/json": { schema } } },
        ...failed,
      },
    });
  post(
    "/openai/v1/chat/completions",
    "createChatCompletion",
    "Ask an agent through OpenAI's chat completions",
    [ChatRequest, ChatCompletion],
  );
  post("/openai/v1/responses", "createResponse", "Ask an agent through OpenAI's responses", [
    ResponsesRequest,
    ResponseObject,
  ]);
  get("/openai/v1/models", "listOpenAiModels", "Agents as models", [AgentsAsModels]);
  const params = z.object({ model: z.string() });
  get("/openai/v1/models/{model}", "getOpenAiModel", "One agent as a model", [AgentAsModel, params]);
}
