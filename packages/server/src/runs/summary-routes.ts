/** Summaries of a long conversation: list them, ask for one, and pin messages that they must keep word for word. */
import { MessagePin, SessionSummaries, SessionSummary } from "@capstan/client/wire";
import type { AuditLog, Runs, SessionStore, SummaryRecord } from "@capstan/runtime";
import { createRoute, z } from "@hono/zod-openapi";
import { Id, json, jsonBody, needs, newRoutes } from "../http/define-route.ts";
import { problem } from "../http/problem.ts";
import { usageDto } from "./run-dto.ts";

const listSummaries = createRoute({
  operationId: "listSummaries",
  ...needs("session", "see"),
  method: "get",
  path: "/v1/sessions/{id}/summaries",
  summary: "Summaries of the conversation, oldest first; the messages they stand for stay readable",
  request: { params: Id },
  responses: { 200: json(SessionSummaries, "Each stands for everything from the first message on.") },
});

const compactSession = createRoute({
  operationId: "compactSession",
  ...needs("session", "use"),
  method: "post",
  path: "/v1/sessions/{id}/compact",
  summary: "Summarise everything but the last turn now; counted as a model call",
  request: { params: Id },
  responses: { 201: json(SessionSummary, "The summary, in force from the next message on.") },
});

const pinMessage = createRoute({
  operationId: "pinMessage",
  ...needs("session", "change"),
  method: "put",
  path: "/v1/sessions/{id}/messages/{message_id}/pin",
  summary: "Pin a message, so that summaries keep it word for word, or unpin it",
  request: { params: Id.extend({ message_id: z.string().max(200) }), body: jsonBody(MessagePin) },
  responses: { 200: json(MessagePin, "As it is now.") },
});

export interface SummaryRouteParts {
  readonly runs: Runs;
  readonly sessions: SessionStore;
  readonly audit: AuditLog;
}

export function summaryRoutes({ runs, sessions, audit }: SummaryRouteParts) {
  const routes = newRoutes("sessions");
  routes.openapi(listSummaries, async (c) => {
    const session = await sessions.get(c.req.valid("param").id);
    if (!session.ok) return problem(c, session.failure);
    const items = await runs.summaries(session.value.id);
    return c.json({ items: items.map(summaryDto) }, 200);
  });
  routes.openapi(compactSession, async (c) => {
    const { id } = c.req.valid("param");
    const by = c.get("caller").email;
    const made = await runs.compact(id, { by, signal: c.req.raw.signal });
    if (!made.ok) return problem(c, made.failure);
    await audit.add({
      actor: by,
      action: "session.compacted",
      subject: id,
      details: { summary: made.value.id, messages: made.value.toPosition + 1 },
    });
    const stored = (await runs.summaries(id)).find((summary) => summary.id === made.value.id);
    if (!stored) throw new Error("a summary that was stored is gone");
    return c.json(summaryDto(stored), 201);
  });
  routes.openapi(pinMessage, async (c) => {
    const { id, message_id: messageId } = c.req.valid("param");
    const { pinned } = c.req.valid("json");
    const done = await runs.pin(id, { messageId, pinned });
    return done.ok ? c.json({ pinned }, 200) : problem(c, done.failure);
  });
  return routes;
}

const summaryDto = (summary: SummaryRecord): SessionSummary => ({
  id: summary.id,
  session_id: summary.sessionId,
  messages: summary.toPosition + 1,
  to_position: summary.toPosition,
  to_message_id: summary.toMessageId,
  text: summary.text,
  kept: {
    decisions: [...summary.kept.decisions],
    files: [...summary.kept.files],
    lists: summary.kept.lists.map(({ tool, input }) => ({ tool, input })),
  },
  labels: [...summary.labels],
  run_id: summary.runId,
  created_by: summary.createdBy,
  ...(summary.usage && { usage: usageDto(summary.usage) }),
  created_at: new Date(summary.createdAt).toISOString(),
});
