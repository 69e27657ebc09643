/**
 * `ask_agent`: the agent itself as an MCP tool. A client gives it a task in words; the agent works on it with all of its
 * tools, as a stored run like any other, and returns the answer. Every call of the run passes the gate.
 */
import { fail, type RunEvent } from "@capstan/core";
import { readInput } from "@capstan/core/internal";
import type { CallToolResult, Tool } from "@modelcontextprotocol/server";
import { uuidv7 } from "uuidv7";
import { z } from "zod";
import { AnswerReader } from "../turns/answer-reader.ts";
import { startTurn, type TurnParts } from "../turns/turn.ts";
import type { McpCaller } from "./mcp-caller.ts";
import { failureAnswer, outputAnswer } from "./tool-answer.ts";

const NAME = "ask_agent";

const Input = z.strictObject({
  message: z.string().min(1).max(100_000).describe("What the agent should do or answer."),
  thread: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe("A conversation to continue: the thread of an earlier answer."),
});
const Output = z.strictObject({ answer: z.string(), thread: z.string() });

/** Not inside one of our own runs, where an agent would ask itself; an agent's own tool of that name takes precedence. */
export const offersAsking = ({ path, agent }: McpCaller): boolean =>
  path === "mcp" && !agent.tools.some(({ name }) => name === NAME);

export const isAsking = (caller: McpCaller, tool: string): boolean => tool === NAME && offersAsking(caller);

export const askTool = ({ agent: { spec } }: McpCaller): Tool => ({
  name: NAME,
  title: `Ask ${spec.name}`,
  description: `Give the agent "${spec.name}" a task in words and get its answer. ${spec.description}`.trim(),
  inputSchema: z.toJSONSchema(Input) as Tool["inputSchema"],
  outputSchema: z.toJSONSchema(Output) as NonNullable<Tool["outputSchema"]>,
  annotations: { readOnlyHint: false, openWorldHint: true },
});

export interface AskOptions {
  readonly input: unknown;
  readonly signal: AbortSignal;
  readonly progress: ((done: number, message: string) => void) | undefined;
}

export async function askAgent(
  services: TurnParts,
  caller: McpCaller,
  { input, signal, progress }: AskOptions,
): Promise<CallToolResult> {
  const read = readInput(Input, input);
  if (!read.ok) return failureAnswer(fail("input_invalid", { where: read.where }).failure);
  const spent = (await caller.budgets(undefined)).find(({ used, limit }) => used >= limit);
  if (spent)
    return failureAnswer(
      fail("budget_exhausted", { budget: spent.name, limit: spent.limit, used: spent.used }).failure,
    );
  const { message, thread = uuidv7() } = read.value;
  const turn = await startTurn(services, {
    agentId: caller.agent.spec.id,
    by: caller.email,
    traceparent: caller.traceparent,
    input: {
      threadId: `ask:${caller.thread}:${thread}`,
      runId: uuidv7(),
      state: {},
      messages: [{ id: uuidv7(), role: "user", content: message }],
      tools: [],
      context: [],
      forwardedProps: {},
    },
  });
  if (!turn.ok) return failureAnswer(turn.failure);
  const { events, stop } = turn.value;
  signal.addEventListener("abort", () => stop.abort(), { once: true });
  const answer = await readAnswer(events, progress).finally(() => stop.abort());
  if (answer.failure) return failureAnswer(answer.failure);
  return outputAnswer({ answer: answer.text, thread });
}

async function readAnswer(
  events: AsyncIterable<RunEvent>,
  progress: AskOptions["progress"],
): Promise<AnswerReader> {
  const answer = new AnswerReader([]);
  let done = 0;
  for await (const event of events) {
    answer.take(event);
    if (event.type === "TOOL_CALL_START") progress?.(++done, `Calls ${event.toolCallName}`);
    if (event.type === "STEP_STARTED") progress?.(++done, "Asks its model");
  }
  return answer;
}
