/**
 * Keeps a long conversation within the model's window, by a stated policy: first older `write_todos` calls go, then old
 * tool results are shortened, then the oldest turns are left out, then the oldest steps of the turn that is on. A call
 * and its result stay or go together, and the message the model must answer always stays.
 *
 * The trick is what it does not do: trim a little at every call. A prompt whose beginning moves each time is never in
 * the provider's cache. So when the limit is passed it trims down to a lower mark and then leaves the beginning alone
 * until the limit is passed again; that is computed by replaying the conversation, so no state is kept anywhere.
 */
import type { CountTokens } from "../compose.ts";
import { type ConversationMessage, type ToolOutput, toolCallsOf, toolOutputText } from "../messages.ts";
import { wholePairs } from "./whole-pairs.ts";

const LOWER_MARK = 0.7; // of the limit: room for several turns before the beginning moves again
const SHORT_RESULT_CHARS = 400;
const FILE_TOKENS = 1500; // an image or a document, roughly: providers count them by size, not by text
const MESSAGE_TOKENS = 4; // role and separators
const TODO_TOOL = "write_todos";

export interface WindowOptions {
  /** What the conversation may cost: the model's window without prompt, tools and room for the answer. */
  readonly limitTokens: number;
  readonly countTokens: CountTokens;
}

export interface FittedWindow {
  readonly messages: ConversationMessage[];
  readonly tokens: number;
  /** What was done, for people who wonder. */
  readonly removedTodoCalls: number;
  readonly shortenedResults: number;
  readonly leftOutMessages: number;
}

/** A message the model must answer (alone), or an answer with the results of its calls. */
interface Unit {
  readonly startsTurn: boolean;
  readonly hasTodos: boolean;
  /** What is left of it under each measure; made when first asked for. */
  readonly form: (withoutTodos: boolean, short: boolean) => Form;
}

interface Form {
  readonly messages: readonly ConversationMessage[];
  readonly tokens: number;
  readonly removedTodoCalls: number;
  readonly shortenedResults: number;
}

/** How far each measure reaches: units before these indexes are without todos, shortened, left out. */
interface Marks {
  todos: number;
  short: number;
  out: number;
  /** Steps left out of the turn that is on. */
  outOfTurn: number;
}

export function fitWindow(
  conversation: readonly ConversationMessage[],
  { limitTokens, countTokens }: WindowOptions,
): FittedWindow {
  const messages = wholePairs(conversation);
  const tokens = messages.reduce((sum, message) => sum + messageTokens(message, countTokens), 0);
  if (tokens <= limitTokens) {
    return { messages, tokens, removedTodoCalls: 0, shortenedResults: 0, leftOutMessages: 0 };
  }
  return trimmed(unitsOf(messages, countTokens), limitTokens);
}

function trimmed(units: readonly Unit[], limitTokens: number): FittedWindow {
  const marks: Marks = { todos: 0, short: 0, out: 0, outOfTurn: 0 };
  let turn = 0;
  let tokens = 0;
  units.forEach((unit, at) => {
    if (unit.startsTurn) {
      turn = at;
      marks.outOfTurn = 0;
      tokens = tokensOf(units, marks, turn, at);
    }
    tokens += formOf(unit, at, marks).tokens;
    if (tokens <= limitTokens) return;
    trim(units, marks, { turn, end: at + 1, limitTokens });
    tokens = tokensOf(units, marks, turn, at + 1);
  });
  return fitted(units, marks, turn);
}

interface Stretch {
  /** Where the turn that is on starts, and where the conversation ends. */
  readonly turn: number;
  readonly end: number;
  readonly limitTokens: number;
}

/** Each measure only as far as it must, in the stated order. */
function trim(units: readonly Unit[], marks: Marks, { turn, end, limitTokens }: Stretch): void {
  const wanted = limitTokens * LOWER_MARK;
  const tokens = () => tokensOf(units, marks, turn, end);
  marks.todos = lastTodo(units, end);
  while (tokens() > wanted && marks.short < end - 1) marks.short++;
  while (tokens() > wanted && marks.out < turn) marks.out = nextTurn(units, marks.out + 1, turn);
  while (tokens() > limitTokens && turn + 1 + marks.outOfTurn < end - 1) marks.outOfTurn++;
  if (tokens() > limitTokens) marks.short = end;
}

/** Every todo list but the latest is out of date: each call carries the whole list. */
function lastTodo(units: readonly Unit[], end: number): number {
  for (let at = end - 1; at >= 0; at--) if (units[at]?.hasTodos) return at;
  return 0;
}

function nextTurn(units: readonly Unit[], from: number, most: number): number {
  let at = from;
  while (at < most && !units[at]?.startsTurn) at++;
  return at;
}

const isOut = (at: number, { out, outOfTurn }: Marks, turn: number): boolean =>
  at < out || (at > turn && at <= turn + outOfTurn);

const formOf = (unit: Unit, at: number, { todos, short }: Marks): Form => unit.form(at < todos, at < short);

function tokensOf(units: readonly Unit[], marks: Marks, turn: number, end: number): number {
  let sum = 0;
  for (let at = marks.out; at < end; at++) {
    const unit = units[at];
    if (unit && !isOut(at, marks, turn)) sum += formOf(unit, at, marks).tokens;
  }
  return sum;
}

function fitted(units: readonly Unit[], marks: Marks, turn: number): FittedWindow {
  const fit = {
    messages: [] as ConversationMessage[],
    tokens: 0,
    removedTodoCalls: 0,
    shortenedResults: 0,
    leftOutMessages: 0,
  };
  units.forEach((unit, at) => {
    const form = formOf(unit, at, marks);
    if (isOut(at, marks, turn)) {
      fit.leftOutMessages += form.messages.length;
      return;
    }
    fit.messages.push(...form.messages);
    fit.tokens += form.tokens;
    fit.removedTodoCalls += form.removedTodoCalls;
    fit.shortenedResults += form.shortenedResults;
  });
  return fit;
}

function unitsOf(messages: readonly ConversationMessage[], countTokens: CountTokens): Unit[] {
  const groups: ConversationMessage[][] = [];
  for (const message of messages) {
    if (message.role === "tool") groups.at(-1)?.push(message);
    else groups.push([message]);
  }
  return groups.map((group) => {
    const hasTodos = group.flatMap(toolCallsOf).some(({ toolName }) => toolName === TODO_TOOL);
    const made: (Form | undefined)[] = [];
    return {
      startsTurn: group[0]?.role === "user",
      hasTodos,
      form: (withoutTodos, short) => {
        const key = (hasTodos && withoutTodos ? 2 : 0) + (short ? 1 : 0);
        made[key] ??= makeForm(group, key >= 2, short, countTokens);
        return made[key];
      },
    };
  });
}

function makeForm(
  group: readonly ConversationMessage[],
  withoutTodos: boolean,
  short: boolean,
  countTokens: CountTokens,
): Form {
  const kept = withoutTodos ? dropTodos(group) : { messages: group, changes: 0 };
  const cut = short ? shortened(kept.messages) : { messages: kept.messages, changes: 0 };
  return {
    messages: cut.messages,
    tokens: cut.messages.reduce((sum, message) => sum + messageTokens(message, countTokens), 0),
    removedTodoCalls: kept.changes,
    shortenedResults: cut.changes,
  };
}

interface Changed {
  readonly messages: readonly ConversationMessage[];
  readonly changes: number;
}

export function messageTokens(message: ConversationMessage, countTokens: CountTokens): number {
  const parts = message.content.map((part) => {
    if (part.type === "file") return FILE_TOKENS;
    if (part.type === "tool-call")
      return countTokens(part.toolName) + countTokens(JSON.stringify(part.input));
    if (part.type === "tool-result") return countTokens(toolOutputText(part.output));
    return countTokens(part.text);
  });
  return parts.reduce((sum, tokens) => sum + tokens, MESSAGE_TOKENS);
}

/** The group without its todo calls and their results; without the whole message when nothing else is in it. */
function dropTodos(group: readonly ConversationMessage[]): Changed {
  const todoCalls = new Set(
    group
      .flatMap(toolCallsOf)
      .filter(({ toolName }) => toolName === TODO_TOOL)
      .map(({ toolCallId }) => toolCallId),
  );
  const messages = group.flatMap((message): ConversationMessage[] => {
    if (message.role === "user") return [message];
    const content = message.content.filter(
      (part) => !("toolCallId" in part && todoCalls.has(part.toolCallId)),
    );
    return content.some((part) => part.type !== "reasoning")
      ? [{ ...message, content } as ConversationMessage]
      : [];
  });
  return { messages, changes: todoCalls.size };
}

function shortened(group: readonly ConversationMessage[]): Changed {
  let changes = 0;
  const messages = group.map((message): ConversationMessage => {
    if (message.role !== "tool") return message;
    const content = message.content.map((part) => {
      const output = shortOutput(part.output);
      if (output !== part.output) changes++;
      return { ...part, output };
    });
    return { ...message, content };
  });
  return { messages, changes };
}

function shortOutput(output: ToolOutput): ToolOutput {
  const text = toolOutputText(output);
  if (text.length <= SHORT_RESULT_CHARS * 1.25) return output;
  const rest = text.length - SHORT_RESULT_CHARS;
  return {
    type: "text",
    value: `${text.slice(0, SHORT_RESULT_CHARS)}\n[shortened: ${rest} more characters]`,
  };
}
