/** Reads a stream of server-sent events: their names and data. Comments and ids are ignored. */
export interface ServerSentEvent {
  readonly event: string;
  readonly data: string;
}

const MAX_EVENT_CHARS = 20_000_000;

export async function* readServerSentEvents(
  body: ReadableStream<Uint8Array>,
): AsyncIterable<ServerSentEvent> {
  const decoder = new TextDecoder();
  let buffer = "";
  for await (const chunk of body) {
    buffer = (buffer + decoder.decode(chunk, { stream: true })).replaceAll("\r\n", "\n");
    if (buffer.length > MAX_EVENT_CHARS) throw new Error("The server sent an event that is too long.");
    for (let end = buffer.indexOf("\n\n"); end !== -1; end = buffer.indexOf("\n\n")) {
      const event = parseEvent(buffer.slice(0, end));
      buffer = buffer.slice(end + 2);
      if (event) yield event;
    }
  }
}

function parseEvent(block: string): ServerSentEvent | undefined {
  const fields = block.split("\n").map((line) => /^(\w+): ?(.*)$/.exec(line));
  const data = fields.flatMap((field) => (field?.[1] === "data" ? [field[2] ?? ""] : []));
  if (data.length === 0) return undefined;
  return { event: fields.find((field) => field?.[1] === "event")?.[2] ?? "message", data: data.join("\n") };
}
