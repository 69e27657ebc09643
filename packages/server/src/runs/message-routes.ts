/** A session's messages: sending one starts a run or queues it; a run outlives the request that started it. */

import {
  FeedbackCreate,
  FeedbackStored,
  MessageAccepted,
  MessageCreate,
  MessagePage,
  MessageQuery,
  ToolResultsAccepted,
  ToolResultsCreate,
} from "@capstan/client/wire";
import { ok, type Result } from "@capstan/core";
import type { UserPart } from "@capstan/core/internal";
import { type Runs, readNumberCursor, type SessionStore } from "@capstan/runtime";
import { createRoute, z } from "@hono/zod-openapi";
import { uuidv7 } from "uuidv7";
import { Id, json, jsonBody, needs, newRoutes } from "../http/define-route.ts";
import { problem } from "../http/problem.ts";
import { traceParent } from "../http/trace-parent.ts";
import type { UploadParts } from "../sessions/kept-uploads.ts";
import { keptUploads } from "../sessions/kept-uploads.ts";
import { sessionTitles } from "../sessions/session-titles.ts";
import { messageDto, partDto, userContent } from "./run-dto.ts";

const sendMessage = createRoute({
  operationId: "sendMessage",
  ...needs("session", "use"),
  method: "post",
  path: "/v1/sessions/{id}/messages",
  summary: "Send a message: starts a run, or is queued behind the active one",
  request: { params: Id, body: jsonBody(MessageCreate) },
  responses: {
    202: json(MessageAccepted, "Accepted."),
  },
});

const listMessages = createRoute({
  operationId: "listMessages",
  ...needs("session", "see"),
  method: "get",
  path: "/v1/sessions/{id}/messages",
  summary: "The conversation, oldest first; queued messages last",
  request: {
    params: Id,
    query: MessageQuery,
  },
  responses: {
    200: json(MessagePage, "A page of messages."),
  },
});

const toolResults = createRoute({
  operationId: "sendToolResults",
  ...needs("session", "use"),
  method: "post",
  path: "/v1/sessions/{id}/tool-results",
  summary: "Results of tools that the client runs itself",
  request: {
    params: Id,
    body: jsonBody(ToolResultsCreate),
  },
  responses: { 202: json(ToolResultsAccepted, "The run continues when all results have arrived.") },
});

const feedback = createRoute({
  operationId: "sendFeedback",
  ...needs("session", "use"),
  method: "post",
  path: "/v1/sessions/{id}/messages/{message_id}/feedback",
  summary: "Feedback on a message; the agent sees it in the next turn",
  request: {
    params: Id.extend({ message_id: z.string().max(200) }),
    body: jsonBody(FeedbackCreate),
  },
  responses: { 200: json(FeedbackStored, "Stored.") },
});

export interface MessageRouteParts extends UploadParts {
  readonly runs: Runs;
  readonly sessions: SessionStore;
}

export function messageRoutes(services: MessageRouteParts) {
  const { runs, sessions } = services;
  const routes = newRoutes("runs");
  const titles = sessionTitles(sessions);
  routes.openapi(sendMessage, async (c) => {
    const { id } = c.req.valid("param");
    const body = c.req.valid("json");
    const messageId = body.id ?? uuidv7();
    const content = await contentOf(services, id, messageId, body.content);
    if (!content.ok) return problem(c, content.failure);
    const sent = await runs.send(
      id,
      { id: messageId, content: content.value },
      {
        model: body.model,
        outputSchema: body.output_schema,
        webhookUrl: body.webhook?.url,
        reasoning: body.reasoning,
        traceparent: traceParent(c),
      },
    );
    if (!sent.ok) return problem(c, sent.failure);
    await titles.name(id, body.content);
    const { runId, status } = sent.value;
    return c.json({ message_id: messageId, run_id: runId, queued: status === "queued" }, 202);
  });
  routes.openapi(listMessages, async (c) => {
    const { id } = c.req.valid("param");
    const found = await sessions.get(id);
    if (!found.ok) return problem(c, found.failure);
    const { limit, cursor, pinned } = c.req.valid("query");
    const after = readNumberCursor(cursor);
    if (!after.ok) return problem(c, after.failure);
    const isPinned = pinned === undefined ? undefined : pinned === "true";
    const { items, queued, nextAfter } = await runs.messages(id, { limit, after: after.value, isPinned });
    const waiting = queued.map((message, index) => ({
      id: message.id,
      position: (items.at(-1)?.position ?? -1) + 1 + index,
      run_id: message.runId,
      role: "user" as const,
      content: message.content.flatMap(partDto),
      queued: true,
      created_at: new Date(message.createdAt).toISOString(),
    }));
    return c.json(
      {
        items: [...items.map(messageDto), ...waiting],
        ...(nextAfter !== undefined && { next_cursor: nextAfter }),
      },
      200,
    );
  });
  routes.openapi(toolResults, async (c) => {
    const results = c.req.valid("json").results.map(({ tool_call_id, output, is_error }) => {
      const content = typeof output === "string" ? output : JSON.stringify(output ?? null);
      return { toolCallId: tool_call_id, content, ...(is_error && { error: content }) };
    });
    const stored = await runs.clientResults(c.req.valid("param").id, results);
    return stored.ok ? c.json({ accepted: results.length }, 202) : problem(c, stored.failure);
  });
  routes.openapi(feedback, async (c) => {
    const { id, message_id } = c.req.valid("param");
    const { value, words } = c.req.valid("json");
    const stored = await runs.feedback(id, {
      messageId: message_id,
      by: c.get("caller").email,
      value,
      words,
    });
    return stored.ok ? c.json({ stored: true as const }, 200) : problem(c, stored.failure);
  });
  return routes;
}

/** Plain text does not need the session. */
async function contentOf(
  services: MessageRouteParts,
  sessionId: string,
  messageId: string,
  given: Parameters<typeof userContent>[0],
): Promise<Result<string | UserPart[]>> {
  const content = userContent(given);
  if (typeof content === "string") return ok(content);
  const session = await services.sessions.get(sessionId);
  return session.ok ? keptUploads(services, session.value, messageId, content) : ok(content);
}
