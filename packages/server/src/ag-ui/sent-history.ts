/**
 * What a client's history says besides its new messages, compared with the stored conversation. Only the user's messages can be
 * changed by a history (see rewind.ts): a changed answer is refused, and everything else without effect is reported.
 *
 * Clients shape answers: they join the texts of a turn, change white space, use ids of their own, and keep the first part of an
 * answer whose stream broke. None of that is a change.
 */
import { isDeepStrictEqual } from "node:util";
import type { RunAgentInput } from "@ag-ui/core";
import { agUiMessages, pendingCalls } from "@capstan/core/internal";
import type { SessionView } from "@capstan/runtime";
import type { StoredUserMessage } from "./rewind.ts";
import type { Message } from "./run-input.ts";

type History = Pick<RunAgentInput, "messages">;
type Conversation = Pick<SessionView, "conversation">;

/** Stored messages of the user that a history leaves out, or ends before without asking anything: they still count. */
export function missingMessages({ messages }: History, stored: readonly StoredUserMessage[]): string[] {
  const sent = new Set(messages.map(({ id }) => id));
  const first = stored.findIndex(({ id }) => sent.has(id));
  const last = stored.findLastIndex(({ id }) => sent.has(id));
  const missing = stored.slice(Math.max(first, 0), last + 1).filter(({ id }) => !sent.has(id));
  const next = last < 0 || messages.at(-1)?.role === "user" ? undefined : stored[last + 1];
  return [
    ...missing.map(
      ({ id }) => `the message "${id}" is not in this history, but the stored conversation still has it`,
    ),
    ...(next
      ? [
          `this history ends before the message "${next.id}" of the stored conversation, which stays as it is; a new message at its end replaces what follows`,
        ]
      : []),
  ];
}

export interface ComparedAnswers {
  /** The id of a stored answer that has another text here. */
  readonly changed?: string;
  /** The history with the stored texts of changed answers. */
  readonly restored: readonly Message[];
  readonly warnings: readonly string[];
}

/** Answers in the part of the conversation that the model reads in full; before it, it reads a summary. */
export function compareAnswers(
  { messages }: History,
  { conversation }: Conversation,
  stored: readonly StoredUserMessage[],
): ComparedAnswers {
  const { answers, all } = storedAnswers(conversation ?? []);
  const isWhole = conversation?.[0]?.position === 0;
  const isOther = ({ id, content }: Answer): boolean => {
    const text = bare(content ?? "");
    const answer = answers.get(id);
    return answer ? !all.startsWith(text, answer.at) : isWhole && !all.includes(text);
  };
  const ids = new Set(stored.map(({ id }) => id));
  const start = messages.findIndex(({ id }) => ids.has(id));
  const others = (start < 0 ? [] : messages.slice(start)).filter(isAnswer).filter(isOther);
  const changed = new Set(others.map(({ id }) => id).filter((id) => answers.has(id)));
  const [first] = changed;
  return {
    ...(first !== undefined && { changed: first }),
    restored: messages.map((message) => {
      const answer = isAnswer(message) && changed.has(message.id) && answers.get(message.id);
      return answer ? { ...message, content: answer.text } : message;
    }),
    warnings: others
      .filter(({ id }) => !changed.has(id))
      .map(
        ({ id }) => `the answer "${id}" is not in the stored conversation, and the model does not read it`,
      ),
  };
}

/** A call without a result that has other arguments here: whoever approves it approves something else. */
export function changedCall({ messages }: History, { conversation }: Conversation): string | undefined {
  const pending = new Map(
    pendingCalls(conversation ?? []).map(({ toolCallId, input }) => [toolCallId, input]),
  );
  const sent = messages.filter(isAnswer).flatMap(({ toolCalls = [] }) => toolCalls);
  return sent.find(({ id, function: { arguments: text } }) => {
    const input = parsed(text);
    return pending.has(id) && input !== undefined && !isDeepStrictEqual(input, pending.get(id) ?? {});
  })?.id;
}

/** Undefined for a text that is not all of it: its stream broke. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

type Answer = Extract<Message, { role: "assistant" }>;
const isAnswer = (message: Message): message is Answer => message.role === "assistant";

interface StoredAnswer {
  readonly text: string;
  /** Where it starts in the text of all answers. */
  readonly at: number;
}

function storedAnswers(conversation: NonNullable<SessionView["conversation"]>) {
  const answers = new Map<string, StoredAnswer>();
  let all = "";
  for (const message of agUiMessages(conversation)) {
    if (message.role !== "assistant") continue;
    const { id, content: text = "" } = message;
    answers.set(id, { text, at: all.length });
    all += bare(text);
  }
  return { answers, all };
}

const bare = (text: string): string => text.replaceAll(/\s+/g, "");
