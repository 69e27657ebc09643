/** capstan delegate: one task for a coding agent on this machine, with streamed output. */

import { resolve } from "node:path";
import { CodingAgentError, type RunHandle } from "@capstan/coding-agents";
import { fail } from "@capstan/core";
import { type CodingAgentEvent, parseRunOptions } from "@capstan/core/internal";
import type { Command, CommandContext } from "../command.ts";
import { jsonLine } from "../json-text.ts";
import { openLocalAgents } from "../local-agents.ts";

/** Options of a run; shared with `coding-agents run`. */
export const RUN_FLAGS = {
  model: { type: "string" },
  thinking: { type: "string" },
  session: { type: "string" },
  approve: { type: "string" },
  cwd: { type: "string" },
  transport: { type: "string" },
  attach: { type: "string", multiple: true },
  "max-turns": { type: "string" },
  "max-cost": { type: "string" },
} as const;

/** How they are written. */
export const RUN_USAGE =
  '<agent> [--model m] [--thinking low|medium|high|max] [--session id] [--approve yolo|prompt|deny] [--cwd folder] [--transport t] [--attach file]... [--max-turns n] [--max-cost usd] "<prompt>"';

export const delegate: Command = {
  usage: `capstan delegate ${RUN_USAGE}`,
  summary: "Runs a coding agent and prints its output. Ctrl-C asks it to stop.",
  options: RUN_FLAGS,
  examples: ['capstan delegate claude --thinking high "fix the failing test"'],
  async run(context) {
    if (context.args.length < 2)
      return fail("command_invalid", {
        message: "a coding agent and a prompt are required",
        usage: delegate.usage,
      });
    const options = parseRunOptions(asked(context));
    if (!options.ok) return options;
    const { client } = await openLocalAgents(context.environment);
    try {
      return await follow(context, client.run(options.value));
    } catch (error) {
      if (error instanceof CodingAgentError) return { failure: error.failure };
      throw error;
    }
  },
};

function asked({ args: [agent, ...words], options }: CommandContext): Record<string, unknown> {
  const { model, thinking, session, approve, cwd, transport, attach } = options;
  const turns = options["max-turns"];
  const cost = options["max-cost"];
  return {
    agent,
    prompt: words.join(" "),
    stream: "auto",
    ...(model !== undefined && { model }),
    ...(thinking !== undefined && { thinkingEffort: thinking }),
    ...(session !== undefined && { sessionId: session }),
    ...(approve !== undefined && { approvalMode: approve }),
    ...(cwd !== undefined && { cwd }),
    ...(transport !== undefined && { transport }),
    ...(Array.isArray(attach) && { attachments: attach.map((path) => ({ path: resolve(String(path)) })) }),
    ...(turns !== undefined && { maxTurns: Number(turns) }),
    ...(cost !== undefined && { maxCostUsd: Number(cost) }),
  };
}

async function follow({ terminal, json }: CommandContext, run: RunHandle): Promise<number> {
  const release = terminal.onInterrupt(() => void run.interrupt());
  let outcome = "failed";
  try {
    for await (const event of run) {
      terminal.out(json ? jsonLine(event) : text(event));
      if (event.type === "approval-requested") await answer(terminal, run, event);
      if (event.type === "run-ended") outcome = event.outcome;
    }
  } finally {
    release();
  }
  return outcome === "done" ? 0 : 1;
}

async function answer(
  terminal: CommandContext["terminal"],
  run: RunHandle,
  { id }: { id: string },
): Promise<void> {
  const said = await terminal.ask("  allow it? [y/N] ");
  await (said?.trim().toLowerCase() === "y" ? run.approve(id) : run.deny(id));
}

/** One row per kind of event; kinds without a row print nothing. */
const ROWS: {
  [Type in CodingAgentEvent["type"]]?: (event: Extract<CodingAgentEvent, { type: Type }>) => string;
} = {
  "text-delta": ({ text }) => text,
  "tool-started": ({ tool, input }) => `\n> ${tool} ${JSON.stringify(input ?? {}).slice(0, 160)}\n`,
  "tool-ended": ({ denied, isError, interrupted }) => endOf({ denied, isError, interrupted }),
  "approval-requested": ({ tool, input }) => `\n? ${tool} ${JSON.stringify(input ?? {}).slice(0, 300)}\n`,
  retry: ({ message, attempt }) => `\n~ retry${attempt === undefined ? "" : ` ${attempt}`}: ${message}\n`,
  warning: ({ message }) => `\n! ${message}\n`,
  "run-ended": ({ outcome, message, nextStep, usage }) =>
    `\n${outcome}${message ? `: ${message}` : ""}${nextStep ? `\n${nextStep}` : ""}${usage?.costUsd === undefined ? "" : `\n${usage.costUsd} USD (${usage.costSource})`}\n`,
};

type ToolEnd = Partial<Record<"denied" | "isError" | "interrupted", boolean | undefined>>;

/** A failed call; successful ones print nothing. */
function endOf({ denied, isError, interrupted }: ToolEnd): string {
  if (denied) return "  not allowed; --approve prompt asks you, --approve yolo allows everything\n";
  if (interrupted) return "  interrupted\n";
  return isError ? "  failed\n" : "";
}

const text = (event: CodingAgentEvent): string =>
  (ROWS[event.type] as ((event: CodingAgentEvent) => string) | undefined)?.(event) ?? "";
