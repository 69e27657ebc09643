/** One MCP server per request, for the caller's composed agent: only its own tools. */
import { fail, type JsonSchema, type ProgressReport, type RuntimeTool } from "@capstan/core";
import { riskOf } from "@capstan/core/internal";
import type { Gate, UserStore } from "@capstan/runtime";
import {
  type CallToolResult,
  type InputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
  type Tool,
} from "@modelcontextprotocol/server";
import { uuidv7 } from "uuidv7";
import { allowsTool, scopesFor } from "../auth/client-scopes.ts";
import { VERSION } from "../settings/version.ts";
import type { TurnParts } from "../turns/turn.ts";
import { askAgent, askTool, isAsking, offersAsking } from "./ask-agent.ts";
import { type AskPersonParts, askPerson } from "./asked-before.ts";
import type { McpCaller } from "./mcp-caller.ts";
import { failureAnswer, outputAnswer } from "./tool-answer.ts";
import { connectLink, type ElicitParts, waitForAccount } from "./url-elicitation.ts";

const MOST_INSTRUCTIONS = 20_000;
const CALL_ID = "capstan/callId";

export interface McpServerParts extends AskPersonParts, TurnParts, ElicitParts {
  readonly gate: Gate;
  readonly users: UserStore;
}

export function mcpServer(services: McpServerParts, caller: McpCaller, version: string): Server {
  const { spec, systemPrompt, tools } = caller.agent;
  const server = new Server(
    {
      name: spec.name,
      title: spec.name,
      version,
      ...(spec.description !== "" && { description: spec.description }),
      ...(spec.documentationUrl !== undefined && { websiteUrl: spec.documentationUrl }),
    },
    {
      capabilities: { tools: {} },
      ...(systemPrompt !== "" && { instructions: systemPrompt.slice(0, MOST_INSTRUCTIONS) }),
    },
  );
  server.setRequestHandler("tools/list", ({ params }) => {
    refuseCursor(params?.cursor);
    return {
      tools: [
        ...tools.filter(({ tool }) => tool.policy !== "client").map(listed),
        ...(offersAsking(caller) ? [askTool(caller)] : []),
      ],
      _meta: { "capstan/version": VERSION },
    };
  });
  server.setRequestHandler("tools/call", ({ params }, context) =>
    callTool(services, caller, { tool: params.name, input: params.arguments ?? {} }, context),
  );
  return server;
}

/** The list has one page, so a cursor belongs to another list. Some clients start with an empty one. */
function refuseCursor(cursor = ""): void {
  if (cursor === "") return;
  const message = `"${cursor.slice(0, 100)}" is no cursor of this list: all tools are on its first page. Leave cursor out.`;
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}

function listed({ name, tool, policy, capabilityId }: RuntimeTool): Tool {
  return {
    name,
    description: tool.description,
    inputSchema: objectSchema(tool.input.jsonSchema),
    ...(isObjectSchema(tool.output?.jsonSchema) && { outputSchema: objectSchema(tool.output?.jsonSchema) }),
    title: titleOf(name),
    annotations: {
      title: titleOf(name),
      readOnlyHint: riskOf(tool) === "read",
      destructiveHint: riskOf(tool) === "irreversible",
      idempotentHint: tool.idempotent,
    },
    _meta: { "capstan/capability": capabilityId, "capstan/policy": policy },
  };
}

/** `read_file` in readable form: "Read file". */
function titleOf(name: string): string {
  const words = name.replaceAll(/[_-]+/g, " ").trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const isObjectSchema = (schema: JsonSchema | undefined): boolean => schema?.type === "object";
const objectSchema = (schema: JsonSchema | undefined) => ({ ...schema, type: "object" as const });

async function callTool(
  services: McpServerParts,
  caller: McpCaller,
  call: { tool: string; input: Record<string, unknown> },
  { mcpReq }: ServerContext,
): Promise<CallToolResult | InputRequiredResult> {
  const progress = progressTo(mcpReq);
  const tool = caller.agent.tools.find(({ name }) => name === call.tool);
  if (!allowsTool(caller.allowed, call.tool, tool)) {
    const scopes = scopesFor(caller.allowed, call.tool, tool);
    return failureAnswer(fail("client_scope_missing", { tool: call.tool, scopes }).failure);
  }
  if (isAsking(caller, call.tool))
    return askAgent(services, caller, {
      input: call.input,
      signal: mcpReq.signal,
      progress: progress && ((done, message) => progress({ done, message })),
    });
  const session = await caller.sessionFor(tool);
  if (!session.ok) return failureAnswer(session.failure);
  await waitForAccount(services, caller, tool, mcpReq);
  const callId = callIdOf(mcpReq) ?? uuidv7();
  const outcome = await services.gate.call({
    ...call,
    path: caller.path,
    agent: caller.agent,
    user: { email: caller.email, scopes: caller.agent.scopes },
    sessionId: session.value,
    runId: caller.runId,
    traceparent: caller.traceparent,
    callId,
    signal: mcpReq.signal,
    budgets: await caller.budgets(session.value),
    progress,
  });
  switch (outcome.kind) {
    case "done":
      return named(callId, checkedShape(tool, outputAnswer(outcome.output)));
    case "refused":
      return connectLink(outcome.failure, caller, mcpReq) ?? named(callId, failureAnswer(outcome.failure));
    case "approval":
      return named(callId, await askPerson(services, caller, outcome, { callId, sessionId: session.value }));
    case "client":
      return failureAnswer(
        fail("tool_denied", { tool: call.tool, why: "only the client of a run can run it" }).failure,
      );
  }
}

/** For `capstan explain`. */
const named = (callId: string, answer: CallToolResult): CallToolResult => ({
  ...answer,
  _meta: { ...answer._meta, [CALL_ID]: callId },
});

/** Only for a client with a progress token; a failed notification must not fail the call. */
function progressTo({
  _meta,
  notify,
}: ServerContext["mcpReq"]): ((report: ProgressReport) => void) | undefined {
  const token = _meta?.progressToken;
  if (token === undefined) return undefined;
  return ({ done, total, message }) => {
    const params = {
      progressToken: token,
      progress: done,
      ...(total !== undefined && { total }),
      ...(message !== undefined && { message }),
    };
    notify({ method: "notifications/progress", params }).catch(() => undefined);
  };
}

/** A truncated output no longer matches the tool's schema; a client would reject the whole answer. */
function checkedShape(tool: RuntimeTool | undefined, answer: CallToolResult): CallToolResult {
  const promised = isObjectSchema(tool?.tool.output?.jsonSchema);
  return promised && answer.structuredContent === undefined ? { ...answer, isError: true } : answer;
}

/** A retry by the client names the call. */
function callIdOf({ _meta }: ServerContext["mcpReq"]): string | undefined {
  const id = _meta?.[CALL_ID];
  return typeof id === "string" && id.length > 0 && id.length <= 200 ? id : undefined;
}
