/** One conversation in the terminal: send, print events, ask for approvals, stop on Ctrl-C. */
import type { Api, Approval, Following } from "@capstan/client";
import { type Failure, fail, type RunEvent } from "@capstan/core";
import { parseClearJson } from "@capstan/core/internal";
import type { Terminal } from "../command.ts";
import { jsonLine } from "../json-text.ts";
import { turnPrinter } from "./turn-printer.ts";

export interface ChatParts {
  readonly api: Api;
  readonly terminal: Terminal;
  readonly sessionId: string;
  /** One JSON event per line instead of text. */
  readonly json: boolean;
  readonly colours: boolean;
}

export interface Chat {
  /** Sends one message; returns 0 or 1 for the run's outcome, or the failure if it could not start. */
  say(text: string): Promise<number | { readonly failure: Failure }>;
  close(): void;
}

export function openChat({ api, terminal, sessionId, json, colours }: ChatParts): Chat {
  const printer = turnPrinter(colours);
  let following: Following | undefined;
  let ended: ((event: RunEvent) => void) | undefined;
  const nextEnd = () =>
    new Promise<RunEvent>((resolve) => {
      ended = resolve;
    });
  /** Only this run's events: an existing session has older runs with their own ends. */
  const follow = (run: string) => {
    following?.close();
    following = api.sessions.followEvents(sessionId, {
      run,
      onEvent: ({ seq, event }) => {
        terminal.out(json ? jsonLine({ seq, event }) : printer.print(event));
        if (event.type === "RUN_FINISHED" || event.type === "RUN_ERROR") ended?.(event);
      },
    });
  };

  return {
    close: () => following?.close(),
    async say(text) {
      const stopListening = terminal.onInterrupt(() => void api.sessions.cancel(sessionId));
      try {
        const sent = await api.sessions.send(sessionId, { content: text });
        if (!sent.ok) return sent;
        let next = nextEnd();
        follow(sent.value.run_id);
        let end = await next;
        for (let asked = asksIn(end); asked.length > 0; asked = asksIn(end)) {
          next = nextEnd();
          const waiting = await answerAll(api, terminal, asked);
          if (waiting) return { failure: waiting };
          end = await next;
        }
        return end.type === "RUN_ERROR" ? 1 : 0;
      } finally {
        stopListening();
      }
    },
  };
}

/** The approvals a run waits for, including those of agents it delegated to. */
const asksIn = (event: RunEvent): string[] =>
  event.type === "RUN_FINISHED" && event.outcome?.type === "interrupt"
    ? event.outcome.interrupts.map(({ id }) => id)
    : [];

/** A failure when something waits and nobody is here to answer. */
async function answerAll(api: Api, terminal: Terminal, ids: readonly string[]): Promise<Failure | undefined> {
  for (const id of ids) {
    const asked = await api.approvals.get(id);
    if (!asked.ok) return asked.failure;
    const { tool, status, kind, reason: why, input } = asked.value;
    if (status !== "pending") continue; // answered elsewhere
    if (kind === "connect") {
      const { url = "" } = Object(input) as { url?: string };
      return fail("account_waits", { why, url, id }).failure; // approved in the browser
    }
    const isAnswered = terminal.isInteractive && (await answer(api, terminal, asked.value));
    if (!isAnswered) return fail("approval_waits", { tool, id }).failure;
  }
  return undefined;
}

/** False when the person left the question pending, with Ctrl-C: it stays in the inbox. */
async function answer(api: Api, terminal: Terminal, approval: Approval): Promise<boolean> {
  terminal.out(`\n? ${approval.tool} ${JSON.stringify(approval.input)}\n  ${approval.reason ?? ""}\n`);
  for (;;) {
    const key = await terminal.ask("  [y]es, [n]o, [e]dit: ");
    if (key === undefined) return false;
    const decided = await decisionFor(key.trim().toLowerCase(), terminal, approval.input);
    if (!decided) continue;
    const answered = await api.approvals.answer(approval.id, decided);
    if (answered.ok) return true;
    terminal.err(`  ${answered.failure.message}\n  ${answered.failure.nextStep}\n`);
    if (answered.failure.status !== 422) return true;
  }
}

async function decisionFor(key: string, terminal: Terminal, input: Approval["input"]) {
  if (key === "y" || key === "yes") return { decision: "approve" as const };
  if (key === "e" || key === "edit") {
    const text = await terminal.ask("  arguments as JSON: ", JSON.stringify(input));
    if (text === undefined) return undefined; // Ctrl-C: nothing was approved
    try {
      return { decision: "approve" as const, edited_args: parseClearJson(text) as Record<string, unknown> };
    } catch {
      terminal.err("  that is not JSON\n");
      return undefined;
    }
  }
  if (key !== "n" && key !== "no") return undefined;
  const words = await terminal.ask("  reason (optional, sent to the agent): ");
  return { decision: "deny" as const, ...(words && { words }) };
}
