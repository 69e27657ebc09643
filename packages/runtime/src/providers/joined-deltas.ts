/**
 * Events of OpenAI's chat-completions stream that arrived together, joined: pieces of one text become one piece. A busy
 * process reads many at once, and each that goes on alone costs four web streams and a schema check; what we store and
 * show is joined anyway. Whatever is not plainly a piece of text passes as it came.
 */

const END_OF_EVENT = Buffer.from("\n\n");
const SMALLEST_PIECE = 'data: {"';

/** Feed it what arrives; it returns what is to be passed on, and keeps the beginning of an event that is not whole. */
export function deltaJoiner(): { take(chunk: Buffer): Buffer; rest(): Buffer } {
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

/** A `fetch` whose streamed answers come joined. */
export const joiningFetch =
  (fetchFrom: typeof fetch): typeof fetch =>
  async (input, init) => {
    const answer = await fetchFrom(input, init);
    const isStream = answer.headers.get("content-type")?.startsWith("text/event-stream");
    if (!isStream || answer.body === null) return answer;
    const { status, headers } = answer;
    return new Response(answer.body.pipeThrough(joining()), { status, headers });
  };

function joining(): TransformStream<Uint8Array, Uint8Array> {
  const joiner = deltaJoiner();
  const pass = (bytes: Buffer, controller: TransformStreamDefaultController<Uint8Array>) => {
    if (bytes.length > 0) controller.enqueue(bytes);
  };
  return new TransformStream({
    transform: (chunk, controller) =>
      pass(joiner.take(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)), controller),
    flush: (controller) => pass(joiner.rest(), controller),
  });
}

interface Piece {
  readonly id?: unknown;
  readonly choices: [{ readonly delta: { content: string; role?: unknown } }];
}

function joined(events: readonly string[]): string[] {
  const kept: string[] = [];
  let open: Piece | undefined;
  let alone = ""; // the open piece as it came, for as long as it is the only one
  const close = () => {
    if (open) kept.push(alone === "" ? `data: ${JSON.stringify(open)}` : alone);
    open = undefined;
  };
  for (const event of events) {
    const piece = textPiece(event);
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

const CHOICE = new Set(["index", "delta", "finish_reason", "logprobs"]);
const DELTA = new Set(["content", "role"]);

/** An event that carries nothing but a piece of the first answer's text. */
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
