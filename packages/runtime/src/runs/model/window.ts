/**
 * Keeps a long conversation within the model's context window. In this order: removes calls that a later one replaces (todo lists),
 * shortens old tool results, drops the oldest turns, then the oldest steps of the current turn. A call
 * and its result stay or go together, and the message to answer always stays.
 *
 * It does not trim a little at every call: a prompt whose start moves each time never hits the provider's cache. When the
 * limit is exceeded it trims down to a lower mark and then keeps the start until the limit is
 * exceeded again; computed by replaying the conversation, so there is no state.
 */
import type { CountTokens } from "@capstan/core";
import {
  type ConversationMessage,
  type ToolOutput,
  toolCallsOf,
  toolOutputText,
} from "@capstan/core/internal";
import { wholePairs } from "./whole-pairs.ts";

const LOWER_MARK = 0.7; // of the limit: room for several turns before the start moves again
const SHORT_RESULT_CHARS = 400;
const FILE_TOKENS = 1500; // an image or a document, roughly: providers count them by size, not by text
const MESSAGE_TOKENS = 4; // role and separators
const NONE: ReadonlySet<string> = new Set();

export interface WindowOptions {
  /** Token limit of the conversation: the context window without prompt, tools and the reserve for the answer. */
  readonly limitTokens: number;
  readonly countTokens: CountTokens;
  /** Names of tools where each call replaces the previous one. */
  readonly replacing?: ReadonlySet<string>;
}

export interface FittedWindow {
  readonly messages: ConversationMessage[];
  readonly tokens: number;
  /** What was trimmed, for people. */
  readonly replacedCalls: number;
  readonly shortenedResults: number;
  readonly leftOutMessages: number;
}

/** A message to answer (alone), or an answer with the results of its calls. */
interface Unit {
  readonly startsTurn: boolean;
  readonly hasReplaceable: boolean;
  /** Its content under each measure; computed on first use. */
  readonly form: (withoutReplaced: boolean, short: boolean) => Form;
}

interface Form {
  readonly messages: readonly ConversationMessage[];
  readonly tokens: number;
  readonly replacedCalls: number;
  readonly shortenedResults: number;
}

/** How far each measure reaches: before these indexes, units are without replaced calls, shortened, dropped. */
interface Marks {
  replaced: number;
  short: number;
  out: number;
  /** Dropped steps of the current turn. */
  outOfTurn: number;
}

export function fitWindow(
  conversation: readonly ConversationMessage[],
  { limitTokens, countTokens, replacing = new Set() }: WindowOptions,
): FittedWindow {
  const messages = wholePairs(conversation);
  const tokens = messages.reduce((sum, message) => sum + messageTokens(message, countTokens), 0);
  if (tokens <= limitTokens) {
    return { messages, tokens, replacedCalls: 0, shortenedResults: 0, leftOutMessages: 0 };
  }
  return trimmed(unitsOf(messages, replacing, countTokens), limitTokens);
}

function trimmed(units: readonly Unit[], limitTokens: number): FittedWindow {
  const marks: Marks = { replaced: 0, short: 0, out: 0, outOfTurn: 0 };
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
  /** Where the current turn starts, and where the conversation ends. */
  readonly turn: number;
  readonly end: number;
  readonly limitTokens: number;
}

/** Each measure only as far as needed, in the stated order. */
function trim(units: readonly Unit[], marks: Marks, { turn, end, limitTokens }: Stretch): void {
  const wanted = limitTokens * LOWER_MARK;
  const tokens = () => tokensOf(units, marks, turn, end);
  marks.replaced = lastReplaceable(units, end);
  while (tokens() > wanted && marks.short < end - 1) marks.short++;
  while (tokens() > wanted && marks.out < turn) marks.out = nextTurn(units, marks.out + 1, turn);
  while (tokens() > limitTokens && turn + 1 + marks.outOfTurn < end - 1) marks.outOfTurn++;
  if (tokens() > limitTokens) marks.short = end;
}

/** All such calls but the latest are obsolete: each one contains everything. */
function lastReplaceable(units: readonly Unit[], end: number): number {
  for (let at = end - 1; at >= 0; at--) if (units[at]?.hasReplaceable) return at;
  return 0;
}

function nextTurn(units: readonly Unit[], from: number, most: number): number {
  let at = from;
  while (at < most && !units[at]?.startsTurn) at++;
  return at;
}

const isOut = (at: number, { out, outOfTurn }: Marks, turn: number): boolean =>
  at < out || (at > turn && at <= turn + outOfTurn);

const formOf = (unit: Unit, at: number, { replaced, short }: Marks): Form =>
  unit.form(at < replaced, at < short);

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
    replacedCalls: 0,
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
    fit.replacedCalls += form.replacedCalls;
    fit.shortenedResults += form.shortenedResults;
  });
  return fit;
}

function unitsOf(
  messages: readonly ConversationMessage[],
  replacing: ReadonlySet<string>,
  countTokens: CountTokens,
): Unit[] {
  const groups: ConversationMessage[][] = [];
  for (const message of messages) {
    if (message.role === "tool") groups.at(-1)?.push(message);
    else groups.push([message]);
  }
  return groups.map((group) => {
    const replaceable = new Set(
      group
        .flatMap(toolCallsOf)
        .filter(({ toolName }) => replacing.has(toolName))
        .map(({ toolCallId }) => toolCallId),
    );
    const hasReplaceable = replaceable.size > 0;
    const made: (Form | undefined)[] = [];
    return {
      startsTurn: group[0]?.role === "user",
      hasReplaceable,
      form: (withoutReplaced, short) => {
        const key = (hasReplaceable && withoutReplaced ? 2 : 0) + (short ? 1 : 0);
        made[key] ??= makeForm(group, key >= 2 ? replaceable : NONE, short, countTokens);
        return made[key];
      },
    };
  });
}

function makeForm(
  group: readonly ConversationMessage[],
  dropped: ReadonlySet<string>,
  short: boolean,
  countTokens: CountTokens,
): Form {
  const kept = dropped.size > 0 ? dropCalls(group, dropped) : { messages: group, changes: 0 };
  const cut = short ? shortened(kept.messages) : { messages: kept.messages, changes: 0 };
  return {
    messages: cut.messages,
    tokens: cut.messages.reduce((sum, message) => sum + messageTokens(message, countTokens), 0),
    replacedCalls: kept.changes,
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

/** The group without calls that a later one replaces; without the whole message if nothing else is in it. */
function dropCalls(group: readonly ConversationMessage[], dropped: ReadonlySet<string>): Changed {
  const messages = group.flatMap((message): ConversationMessage[] => {
    if (message.role === "user") return [message];
    const content = message.content.filter((part) => !("toolCallId" in part && dropped.has(part.toolCallId)));
    return content.some((part) => part.type !== "reasoning")
      ? [{ ...message, content } as ConversationMessage]
      : [];
  });
  return { messages, changes: dropped.size };
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
