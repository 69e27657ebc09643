/** A coding agent's events as what a person reads: text joined, tools with their end, the outcome last. */
import type { CodingAgentEvent } from "@capstan/core/internal";

export interface RunQuestion {
  kind: "question";
  id: string;
  tool: string;
  input: unknown;
}

export type RunPiece =
  | RunQuestion
  | { kind: "text"; text: string }
  | { kind: "thinking"; text: string }
  | { kind: "tool"; id: string; tool: string; state: "running" | "done" | "failed"; ungated: boolean }
  | { kind: "note"; text: string; bad: boolean };

export function foldRun(events: readonly CodingAgentEvent[]): RunPiece[] {
  const pieces: RunPiece[] = [];
  for (const event of events) addTo(pieces, event);
  return pieces;
}

function addTo(pieces: RunPiece[], event: CodingAgentEvent): void {
  switch (event.type) {
    case "text-delta":
      join(pieces, "text", event.text);
      break;
    case "thinking-delta":
      join(pieces, "thinking", event.text);
      break;
    case "tool-started":
      pieces.push({
        kind: "tool",
        id: event.id,
        tool: event.tool,
        state: "running",
        ungated: event.ungated === true,
      });
      break;
    case "tool-ended":
      endTool(pieces, event.id, event.isError === true || event.denied === true);
      break;
    case "approval-requested":
      pieces.push({ kind: "question", id: event.id, tool: event.tool, input: event.input });
      break;
    case "warning":
    case "retry":
      pieces.push({ kind: "note", text: event.message, bad: false });
      break;
    case "run-ended":
      pieces.push({ kind: "note", text: endWords(event), bad: event.outcome !== "done" });
      break;
    default:
      break;
  }
}

function join(pieces: RunPiece[], kind: "text" | "thinking", text: string): void {
  const last = pieces.at(-1);
  if (last?.kind === kind) pieces[pieces.length - 1] = { kind, text: last.text + text };
  else pieces.push({ kind, text });
}

function endTool(pieces: RunPiece[], id: string, failed: boolean): void {
  const index = pieces.findLastIndex((piece) => piece.kind === "tool" && piece.id === id);
  const piece = pieces[index];
  if (piece?.kind === "tool") pieces[index] = { ...piece, state: failed ? "failed" : "done" };
}

const endWords = ({ outcome, message }: Extract<CodingAgentEvent, { type: "run-ended" }>): string =>
  message ? `Ended: ${outcome}. ${message}` : `Ended: ${outcome}.`;
