/** The OpenAI routes in /openapi.json. They answer bad input in OpenAI's own shape, so they are described, not checked, there. */
import { z } from "zod";
import type { newRoutes } from "../http/define-route.ts";
import { authority } from "../http/define-route.ts";
import { ChatRequest } from "./chat-request.ts";
import { ResponsesRequest } from "./responses-request.ts";

type Registry = ReturnType<typeof newRoutes>["openAPIRegistry"];

const Answer = z.record(z.string(), z.unknown());
const Stream = z.string();
const Failed = z.object({
  error: z.object({ message: z.string(), type: z.string(), param: z.null(), code: z.string() }),
});

const answers = (description: string) => ({
  200: {
    description,
    content: { "application/json": { schema: Answer }, "text/event-stream": { schema: Stream } },
  },
  default: {
    description: "An error as OpenAI writes it.",
    content: { "application/json": { schema: Failed } },
  },
});

export function describeOpenAi(registry: Registry): void {
  const post = (path: string, operationId: string, summary: string, schema: z.ZodType) =>
    registry.registerPath({
      method: "post",
      path,
      operationId,
      summary,
      tags: ["openai"],
      ...authority("agent", "use"),
      request: { body: { required: true, content: { "application/json": { schema } } } },
      responses: answers("The answer, whole or streamed."),
    });
  const get = (path: string, operationId: string, summary: string, params?: z.ZodObject) =>
    registry.registerPath({
      method: "get",
      path,
      operationId,
      summary,
      tags: ["openai"],
      ...authority("agent", "see"),
      ...(params && { request: { params } }),
      responses: answers("Agents as models."),
    });
  post(
    "/openai/v1/chat/completions",
    "createChatCompletion",
    "Ask an agent as OpenAI chat does",
    ChatRequest,
  );
  post("/openai/v1/responses", "createResponse", "Ask an agent as OpenAI's responses do", ResponsesRequest);
  get("/openai/v1/models", "listOpenAiModels", "Agents as models");
  get("/openai/v1/models/{model}", "getOpenAiModel", "One agent as a model", z.object({ model: z.string() }));
}
