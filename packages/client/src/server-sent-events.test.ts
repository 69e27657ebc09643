import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createSseParser, readServerSentEvents, type ServerSentEvent } from "./server-sent-events.ts";

const LINE_ENDS = ["\n", "\r\n", "\r"];
const line = fc.string().map((text) => text.replaceAll(/[\r\n\0]/g, ""));
const event = fc.record({ id: line.filter((id) => id !== ""), data: fc.array(line, { minLength: 1 }) });

describe("reading server-sent events", () => {
  test("gives the same events however the bytes are split", async () => {
    const cases = fc.record({
      events: fc.array(event, { maxLength: 5 }),
      end: fc.constantFrom(...LINE_ENDS),
      cuts: fc.array(fc.nat(200)),
    });
    await fc.assert(
      fc.asyncProperty(cases, async ({ events, end, cuts }) => {
        const lines = events.flatMap(({ id, data }) => [
          `id: ${id}`,
          ...data.map((each) => `data: ${each}`),
          "",
        ]);
        const bytes = new TextEncoder().encode(lines.map((each) => each + end).join(""));
        expect(await read(bytes, cuts)).toEqual(
          events.map(({ id, data }) => ({ id, event: "message", data: data.join("\n") })),
        );
      }),
    );
  });

  test.each([
    ["a comment", ": keep-alive\n\n", []],
    ["an event without data", "id: 4\n\n", []],
    ["an event cut off by the connection", "id: 4\ndata: half", []],
    ["an event whose blank line is missing", "id: 4\ndata: whole\n", []],
    ["a named event", "event: ping\ndata:x\n\n", [{ event: "ping", data: "x" }]],
    ["an unknown field", "retry: 10\ndata: x\n\n", [{ event: "message", data: "x" }]],
  ])("handles %s", (_, text, expected) => {
    const seen: ServerSentEvent[] = [];
    createSseParser((each) => seen.push(each)).push(text);
    expect(seen).toEqual(expected);
  });
});

async function read(bytes: Uint8Array, cuts: number[]): Promise<ServerSentEvent[]> {
  const seen: ServerSentEvent[] = [];
  const places = [0, ...cuts.toSorted((a, b) => a - b), bytes.length];
  const parts = places.slice(1).map((place, index) => bytes.subarray(places[index], place));
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const part of parts) controller.enqueue(part);
      controller.close();
    },
  });
  await readServerSentEvents(body, (each) => seen.push(each));
  return seen;
}
