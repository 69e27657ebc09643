/** AG-UI on the wire, for tests that read it byte by byte: a run's input, and the events of a response. */
import { decode } from "@ag-ui/proto";

// biome-ignore lint/suspicious/noExplicitAny: events are read field by field
export type WireEvent = any;

export const runInput = (more: object = {}) => ({
  threadId: crypto.randomUUID(),
  runId: crypto.randomUUID(),
  protocolVersion: "1.0",
  messages: [{ id: crypto.randomUUID(), role: "user", content: "hi" }],
  tools: [],
  context: [],
  state: {},
  forwardedProps: {},
  ...more,
});

export const postRun = (
  url: string,
  body: unknown,
  headers: Record<string, string> = {},
): Promise<Response> =>
  fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "text/event-stream", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });

/** With the number that a client sends to continue from there. */
export function numberedEvents(text: string): { id: string | undefined; event: WireEvent }[] {
  return text.split("\n\n").flatMap((block) => {
    const data = /^data: (.*)$/m.exec(block)?.[1];
    return data === undefined ? [] : [{ id: /^id: (.*)$/m.exec(block)?.[1], event: JSON.parse(data) }];
  });
}

export const eventsIn = (text: string): WireEvent[] => numberedEvents(text).map(({ event }) => event);

export const typesOf = (events: readonly WireEvent[]): string[] => events.map(({ type }) => type);

/** Protobuf events, each behind its length in four bytes. */
export function framedEvents(bytes: Uint8Array): WireEvent[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const events: WireEvent[] = [];
  for (let at = 0; at < bytes.length; ) {
    const length = view.getUint32(at);
    events.push(decode(bytes.subarray(at + 4, at + 4 + length)));
    at += 4 + length;
  }
  return events;
}
