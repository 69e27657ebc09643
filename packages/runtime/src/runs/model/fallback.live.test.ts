/** An agent names models in order; a provider that is down, over quota or too slow is left for the next, in mid-run too. */
import { APICallError } from "@ai-sdk/provider";
import { fail, ok } from "@capstan/core";
import type { CompiledCheck } from "@capstan/core/internal";
import { describe, expect, test } from "vitest";
import { AGENT_ID, collect, last, spoken } from "../../../../../tools/engine-under-test.ts";
import { complaintsAbout } from "../../../../../tools/legal-events.ts";
import { type Script, scriptedModel } from "../../../../../tools/scripted-model.ts";
import { STORES } from "../../../../../tools/stores-under-test.ts";
import { useEngine } from "../../../../../tools/use-engine.ts";
import { callEvents } from "../history/trace-reads.ts";

const refused = (statusCode: number, responseHeaders = {}) =>
  new APICallError({
    message: `status ${statusCode}`,
    url: "x",
    requestBodyValues: {},
    statusCode,
    responseHeaders,
  });

describe.each(STORES)("fallback models on $name", ({ fresh }) => {
  const asked: string[] = [];
  let first: Script = () => [];
  let checks: readonly CompiledCheck[] = [];
  let clock = Date.parse("2026-01-01T00:00:00Z");
  const model = (provider: string, script: Script) =>
    scriptedModel(
      (call, step) => {
        asked.push(provider);
        return script(call, step);
      },
      { name: `${provider}/m`, provider, modelId: "m" },
    );
  const models = {
    "one/m": model("one", (call, step) => first(call, step)),
    "two/m": model("two", (_call, step) =>
      step === 0 ? [{ call: "add", input: { a: 1, b: 2 } }] : [{ text: "Two answers." }],
    ),
    "three/m": model("three", () => [{ text: "Three answers." }]),
  };
  const engine = useEngine(fresh, {
    agent: { model: "one/m", fallbackModels: ["two/m", "three/m"] },
    parts: {
      now: () => new Date(clock),
      models: {
        resolve: async (name = "") => {
          const found = models[name as keyof typeof models];
          return found ? ok(found) : fail("model_unknown", { model: name, nearest: [] });
        },
        check: async () => ok(true),
      },
      textChecks: async () => checks,
      retry: { baseMs: 1, longestMs: 2, longestSilenceMs: 500 },
    },
  });
  const run = async (script: Script) => {
    clock += 60_000; // every provider has rested
    asked.length = 0;
    first = script;
    const session = await engine.newSession({ agentId: AGENT_ID });
    await engine.runs.send(session, { content: "go" });
    const events = await collect(engine.runs, session);
    expect(await complaintsAbout(events)).toEqual([]);
    const changes = events.flatMap((event) =>
      event.type === "CUSTOM" && event.name === "capstan.model_changed" ? [event.value] : [],
    );
    const [ran] = await engine.runs.runsOf(session);
    const traced = ran ? await callEvents(engine.database.pool, ran) : undefined;
    return { events, changes, asked: [...asked], retries: [...(traced?.retries.values() ?? [])].flat() };
  };

  test.each<[string, Script]>([
    ["down", () => Promise.reject(refused(503))],
    ["over its quota", () => Promise.reject(refused(429, { "retry-after": "3600" }))],
    ["refusing the key", () => Promise.reject(refused(401))],
    ["too slow", () => [{ pauseMs: 5_000 }, { text: "Late." }]],
    ["silent after its first words", () => [{ text: "I begin" }, { pauseMs: 5_000 }, { text: "Late." }]],
    ["broken in the middle", () => [{ text: "I beg" }, { breaks: "gone" }]],
  ])("a provider that is %s is left for the next, and every client is told", async (_why, script) => {
    const { events, changes, retries } = await run(script);
    expect(last(events)).toMatchObject({ type: "RUN_FINISHED", outcome: { type: "success" } });
    expect(spoken(events)).toContain("Two answers.");
    expect(changes).toMatchObject([
      { from: "one/m", to: "two/m" },
      { from: "one/m", to: "two/m" },
    ]);
    expect(last(events)).toMatchObject({ usage: [{ provider: "two", inputTokens: 20 }] });
    expect(retries).toContainEqual(expect.stringContaining("two/m in place of one/m: one "));
  });

  test("a provider that goes on speaking is not too slow, although a check holds its words back", async () => {
    checks = [
      { check: { id: "c", name: "read it", find: { words: ["none"] }, effect: "ask" }, find: () => [] },
    ];
    const slowly = Array.from({ length: 8 }, () => [{ pauseMs: 100 }, { text: "word " }]).flat();
    const { asked: order } = await run(() => slowly);
    checks = [];
    expect(order).toEqual(["one"]);
  });

  test("in mid-run too: the first model begins, the second goes on with its tool's result", async () => {
    const { events, asked: order } = await run((_call, step) =>
      step === 0 ? [{ call: "add", input: { a: 1, b: 2 } }] : Promise.reject(refused(500)),
    );
    expect(order).toEqual(["one", "one", "one", "two"]);
    expect(spoken(events)).toContain("Two answers.");
  });

  test("a request that the provider refuses is not sent to others", async () => {
    const { events, asked: order } = await run(() => Promise.reject(refused(400)));
    expect(order).toEqual(["one"]);
    expect(last(events)).toMatchObject({ type: "RUN_ERROR", code: "provider_request_refused" });
  });

  test("a provider that failed three times in a row rests, and is tried again after half a minute", async () => {
    const down = () => Promise.reject(refused(503));
    await run(down);
    clock -= 60_000; // no time passes
    await run(down);
    clock -= 60_000;
    expect((await run(down)).asked).toEqual(["two", "two"]);
    expect((await run(() => [{ text: "One is back." }])).asked).toEqual(["one"]);
  });
});
