/**
 * Joins events of OpenAI's chat-completions stream that arrived together: deltas of one text become one delta. A busy
 * process reads many at once, and each separate one costs four web streams and a schema check; stored and
 * shown text is joined anyway. Anything that is not clearly a text delta passes unchanged.
 */
import { type BodyFilter, UNFILTERED } from "./node-fetch.ts";

const END_OF_EVENT = Buffer.from("\n\n");
const SMALLEST_PIECE = 'data: {"';

/** For `fetchThrough`: joins an event stream, passes any other response unchanged. */
export const joinedDeltas = (contentType: string): BodyFilter =>
  contentType.startsWith("text/event-stream") ? deltaJoiner() : UNFILTERED;

/** Buffers the start of an incomplete event. */
export function deltaJoiner(): BodyFilter {
  let held: Buffer = Buffer.alloc(0);
  return {
    take(chunk) {
      const all = held.length > 0 ? Buffer.concat([held, chunk]) : chunk;
      const end = all.lastIndexOf(END_OF_EVENT);
      if (end < 0) {
        held = all;
        return Buffer.alloc(0);
      }
      held = all.subarray(end + END_OF_EVENT.length);
      const whole = all.subarray(0, end);
      if (whole.indexOf(END_OF_EVENT) < 0) return all.subarray(0, end + END_OF_EVENT.length);
      return Buffer.from(`${joined(whole.toString("utf8").split("\n\n")).join("\n\n")}\n\n`);
    },
    rest() {
      const last = held;
      held = Buffer.alloc(0);
      return last;
    },
  };
}

interface Piece {
  readonly id?: unknown;
  readonly choices: [{ readonly delta: { content: string; role?: unknown } }];
}

function joined(events: readonly string[]): string[] {
  const kept: string[] = [];
  let open: Piece | undefined;
  let frame: Frame | undefined;
  let alone = ""; // the pending delta in its original form, as long as it is the only one
  const close = () => {
    if (open) kept.push(alone === "" ? `data: ${JSON.stringify(open)}` : alone);
    open = undefined;
  };
  for (const event of events) {
    const more = open && frame && textWithin(event, frame);
    if (open && more !== undefined) {
      open.choices[0].delta.content += more;
      alone = "";
      continue;
    }
    const piece = textPiece(event);
    frame = piece && frameOf(event, piece);
    if (piece && open && open.id === piece.id) {
      open.choices[0].delta.content += piece.choices[0].delta.content;
      alone = "";
      continue;
    }
    close();
    if (!piece) kept.push(event);
    open = piece;
    alone = event;
  }
  close();
  return kept;
}

/** An event without its text. Events with the same frame differ only in their text, and need not be parsed. */
interface Frame {
  readonly before: string;
  readonly after: string;
}

const CONTENT = '"content":';
const PLAIN = /^[^"\\\p{Cc}]*$/u;

function frameOf(event: string, { choices }: Piece): Frame | undefined {
  const at = event.indexOf(`${CONTENT}"`);
  if (at < 0 || at !== event.lastIndexOf(CONTENT)) return undefined;
  const before = event.slice(0, at + CONTENT.length + 1);
  const text = JSON.stringify(choices[0].delta.content).slice(1, -1);
  const after = event.slice(before.length + text.length);
  return event.startsWith(text, before.length) && after.startsWith('"') ? { before, after } : undefined;
}

function textWithin(event: string, { before, after }: Frame): string | undefined {
  const isFramed =
    event.length >= before.length + after.length && event.startsWith(before) && event.endsWith(after);
  const text = isFramed ? event.slice(before.length, event.length - after.length) : undefined;
  return text !== undefined && PLAIN.test(text) ? text : undefined;
}

const CHOICE = new Set(["index", "delta", "finish_reason", "logprobs"]);
const DELTA = new Set(["content", "role"]);

/** An event that contains only a text delta of the first choice. */
function textPiece(event: string): Piece | undefined {
  if (!event.startsWith(SMALLEST_PIECE) || event.includes("\n")) return undefined;
  try {
    const value = JSON.parse(event.slice("data: ".length));
    const [choice, ...others] = value.choices ?? [];
    const isText =
      typeof choice?.delta?.content === "string" &&
      others.length === 0 &&
      (choice.index ?? 0) === 0 &&
      (choice.finish_reason ?? null) === null &&
      (choice.logprobs ?? null) === null &&
      (value.usage ?? null) === null &&
      value.error === undefined &&
      Object.keys(choice).every((name) => CHOICE.has(name)) &&
      Object.keys(choice.delta).every((name) => DELTA.has(name));
    return isText ? value : undefined;
  } catch {
    return undefined;
  }
}
