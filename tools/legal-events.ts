/** The oracle for event streams: AG-UI's own client checks, which must find nothing to warn about. */
import { enforceEvents, transformChunks, verifyEvents } from "@ag-ui/client";
import { EventSchemas } from "@ag-ui/core/schemas";
import type { RunEvent } from "@capstan/core";
import { from, lastValueFrom, toArray } from "rxjs";

/** Throws, or returns what the checks complained about. Give it whole segments: from RUN_STARTED to the last event. */
export async function complaintsAbout(events: readonly RunEvent[]): Promise<string[]> {
  const complaints: string[] = [];
  for (const event of events) {
    const parsed = EventSchemas.safeParse(event);
    if (!parsed.success) complaints.push(`${event.type}: ${parsed.error.message}`);
  }
  const { warn, error } = console;
  console.warn = (...words: unknown[]) => complaints.push(words.join(" "));
  console.error = console.warn;
  try {
    const stream = from(events as never[]).pipe(
      enforceEvents(false),
      transformChunks(false),
      verifyEvents(false),
    );
    await lastValueFrom(stream.pipe(toArray()));
  } catch (problem) {
    complaints.push(String(problem));
  } finally {
    console.warn = warn;
    console.error = error;
  }
  return complaints;
}
