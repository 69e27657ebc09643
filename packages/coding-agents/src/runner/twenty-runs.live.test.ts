import { type CodingAgentEvent, runFaults } from "@capstan/core/internal";
import { expect, test } from "vitest";
import { createClient } from "../client.ts";
import { standIn } from "../fixtures/stand-in-adapter.ts";
import { straysOf } from "./process-group.ts";

test("twenty at once, one killed, one hanging, one flooding: the others finish, no orphan, no lost event", async () => {
  const client = createClient({ runner: { terminateGraceMs: 500, maxOutputBytes: 50_000_000 } });
  client.adapters.register(standIn());
  const prompts = [
    "die",
    "hang",
    "flood 100",
    ...Array.from({ length: 17 }, (_, index) => `talk ${500 + index}`),
  ];
  const runs = prompts.map((prompt) => {
    const run = client.run({ agent: "stand-in", prompt, timeoutMs: prompt === "hang" ? 3_000 : 50_000 });
    return { prompt, run, events: collect(run) };
  });
  const ended = await Promise.all(
    runs.map(async ({ prompt, run, events }) => ({
      prompt,
      id: run.id,
      events: await events,
      result: await run.result,
    })),
  );
  expect(ended.flatMap(({ events }) => runFaults(events))).toEqual([]);
  expect(ended.slice(0, 3).map(({ result }) => [result.outcome, result.limit])).toEqual([
    ["failed", undefined],
    ["limit", "time"],
    ["limit", "output"],
  ]);
  for (const { prompt, events, result } of ended.slice(3)) {
    expect(result.outcome).toBe("done");
    const words = events.filter(({ type }) => type === "text-delta").length;
    expect(words).toBe(Number(prompt.split(" ")[1]));
  }
  const strays = await Promise.all(ended.map(({ id }) => straysOf(id)));
  expect(strays.flat()).toEqual([]);
});

async function collect(run: AsyncIterable<CodingAgentEvent>): Promise<CodingAgentEvent[]> {
  const events: CodingAgentEvent[] = [];
  for await (const event of run) events.push(event);
  return events;
}
