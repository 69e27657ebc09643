/**
 * Parses server-sent events as they arrive, split anywhere. An event counts only once its blank line has arrived: an
 * incomplete event of a broken connection is dropped here, and read again after the reconnect.
 */
export interface ServerSentEvent {
  readonly id?: string;
  readonly event: string;
  readonly data: string;
}

export interface SseParser {
  push(text: string): void;
}

export function createSseParser(onEvent: (event: ServerSentEvent) => void): SseParser {
  let rest = "";
  let afterCarriageReturn = false;
  let data: string[] = [];
  let id: string | undefined;
  let name = "";

  const dispatch = () => {
    if (data.length > 0)
      onEvent({ ...(id !== undefined && { id }), event: name || "message", data: data.join("\n") });
    data = [];
    name = "";
  };
  const take = (line: string) => {
    if (line === "") return dispatch();
    const [field, value] = fieldOf(line);
    if (field === "data") data.push(value);
    else if (field === "event") name = value;
    else if (field === "id" && !value.includes("\0")) id = value;
  };

  return {
    push(text) {
      // A carriage return at the end of one chunk and a line feed at the start of the next are one line end.
      const fresh = afterCarriageReturn && text.startsWith("\n") ? text.slice(1) : text;
      if (text !== "") afterCarriageReturn = text.endsWith("\r");
      const lines = (rest + fresh).split(/\r\n|\n|\r/);
      rest = lines.pop() ?? "";
      for (const line of lines) take(line);
    },
  };
}

function fieldOf(line: string): [field: string, value: string] {
  const colon = line.indexOf(":");
  return colon < 0 ? [line, ""] : [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, "")];
}

/** Reads a response body to its end, or until the signal. `onBytes` is called for every chunk, including keep-alive comments. */
export async function readServerSentEvents(
  body: ReadableStream<Uint8Array>,
  onEvent: (event: ServerSentEvent) => void,
  onBytes: () => void = () => {},
  signal?: AbortSignal,
): Promise<void> {
  const parser = createSseParser(onEvent);
  const decoder = new TextDecoder();
  const reader = body.getReader();
  const stop = () => void reader.cancel().catch(() => {});
  signal?.addEventListener("abort", stop, { once: true });
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      onBytes();
      parser.push(decoder.decode(value, { stream: true }));
    }
  } finally {
    signal?.removeEventListener("abort", stop);
    stop(); // the connection may already be gone
  }
}
