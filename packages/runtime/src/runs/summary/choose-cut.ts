/**
 * Where a conversation is cut when it is summarised: the messages before the cut are summarised, those after it stay. A call
 * and its result stay on the same side, and the last step always stays.
 */
import { type ConversationMessage, toolCallsOf } from "@capstan/core/internal";

export interface CutOptions {
  /** How many tokens may stay at most; the last step stays in any case. */
  readonly keepTokens: number;
  readonly tokensOf: (message: ConversationMessage) => number;
  /** Messages at the start that already are a summary. */
  readonly summarised: number;
}

const FEWEST = 2; // new messages; fewer are not worth a model call

/** The index of the first message that stays; undefined when there is nothing to summarise. */
export function chooseCut(
  messages: readonly ConversationMessage[],
  { keepTokens, tokensOf, summarised }: CutOptions,
): number | undefined {
  const places = cutPlaces(messages).filter((at) => at >= summarised + FEWEST);
  const tokens = messages.map(tokensOf);
  const after = (at: number) => tokens.slice(at).reduce((sum, count) => sum + count, 0);
  const fitting = places.filter((at) => after(at) <= keepTokens);
  const turn = fitting.find((at) => messages[at]?.role === "user");
  const [first] = fitting;
  // A cut between turns reads better, unless it drops most of what may stay.
  if (turn !== undefined && after(turn) >= keepTokens / 2) return turn;
  return first ?? places.at(-1);
}

/** Before a question or an answer, where no call waits for a result that comes later. */
function cutPlaces(messages: readonly ConversationMessage[]): number[] {
  const places: number[] = [];
  const lastResult = new Map<string, number>();
  messages.forEach((message, at) => {
    if (message.role !== "tool") return;
    for (const { toolCallId } of message.content) lastResult.set(toolCallId, at);
  });
  let closedAt = 0; // every call before `at` has its result before this index
  messages.forEach((message, at) => {
    if (message.role !== "tool" && closedAt <= at) places.push(at);
    for (const { toolCallId } of toolCallsOf(message))
      closedAt = Math.max(closedAt, (lastResult.get(toolCallId) ?? at) + 1);
  });
  return places;
}

/** The last turn stays: for a person who asks for a summary. */
export function cutBeforeLastTurn(
  messages: readonly ConversationMessage[],
  summarised: number,
): number | undefined {
  const places = cutPlaces(messages).filter((at) => at >= summarised + FEWEST);
  return places.findLast((at) => messages[at]?.role === "user") ?? places.at(-1);
}
