import { defineCapability, defineTool, ok } from "@capstan/core";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { collect, results, spoken } from "../../../../../tools/engine-under-test.ts";
import { freshPglite } from "../../../../../tools/stores-under-test.ts";
import { useEngine } from "../../../../../tools/use-engine.ts";

const many = defineCapability({
  id: "many",
  name: "Many",
  description: "Very many tools.",
  tools: [
    ...Array.from({ length: 60 }, (_, at) =>
      defineTool({
        name: `gadget_${at}`,
        description: `Turns gadget number ${at} by some degrees.`,
        input: z.object({ degrees: z.number() }),
        run: () => ok("turned"),
      }),
    ),
    defineTool({
      name: "book_flight",
      description: "Books a flight from one airport to another.",
      input: z.object({ from: z.string(), to: z.string() }),
      run: ({ from, to }) => ok(`booked ${from} to ${to}`),
    }),
    defineTool({
      name: "cancel_flight",
      description: "Cancels a flight that was booked.",
      scopes: ["Flights.Cancel"],
      input: z.object({}),
      run: () => ok("never"),
    }),
  ],
});

describe("an agent with very many tools", () => {
  const engine = useEngine(freshPglite, {
    capabilities: [many],
    agent: { capabilities: [{ id: "many" }], grantedScopes: ["Other"] },
    parts: { deferToolsAbove: 1000 },
  });

  test("sees only the search, finds what it needs, and every call still passes the gate", async () => {
    const shown: string[][] = [];
    engine.answers = ({ tools = [], prompt }, step) => {
      shown.push(tools.map(({ name }) => name));
      if (step === 0) return [{ call: "search_tools", input: { query: "book a flight to Oslo" } }];
      if (step === 1) {
        return [
          { call: "book_flight", input: { from: "BER" } },
          { call: "cancel_flight" },
          { call: "book_flight", input: { from: "BER", to: "OSL" } },
        ];
      }
      return [{ text: JSON.stringify(prompt.at(-1)?.content) }];
    };
    const session = await engine.newSession();
    await engine.runs.send(session, { content: "fly me to Oslo" });
    const events = await collect(engine.runs, session);
    expect(shown[0]).toEqual(["search_tools"]);
    expect(shown[1]?.slice(0, 2)).toEqual(["search_tools", "book_flight"]);
    expect(shown[1]).not.toContain("cancel_flight");
    expect(shown[1]?.length).toBeLessThan(10);
    const texts = results(events).join("\n");
    expect(texts).toMatch(/tool_input_invalid/);
    expect(texts).toMatch(/scope_missing/);
    expect(spoken(events)).toMatch(/booked BER to OSL/);
    expect(
      engine.records
        .filter(({ path }) => path === "search")
        .map(({ outcome }) => outcome)
        .sort(),
    ).toEqual(["refused", "refused", "success"]);
  });

  test("keeps found tools in the next turn", async () => {
    const shown: string[][] = [];
    engine.answers = ({ tools = [] }, step) => {
      shown.push(tools.map(({ name }) => name));
      return step === 0 && shown.length === 1
        ? [{ call: "search_tools", input: { query: "book flight" } }]
        : [{ text: "Ok." }];
    };
    const session = await engine.newSession();
    for (const [turn, content] of ["one", "two"].entries()) {
      await engine.runs.send(session, { content });
      await collect(engine.runs, session, { runs: turn + 1 });
    }
    expect(shown[2]).toEqual(shown[1]);
  });
});
