/** Scorers and the statistics about them: what passes, what does not, and what a report may claim. */
import { describe, expect, test } from "vitest";
import { isPlain, plainScore, type ScorerHelp } from "./plain-scorers.ts";
import { defineScorer, type ScoredRun } from "./scorer.ts";
import type { PlainScorerSpec } from "./scorer-spec.ts";
import {
  agreementOf,
  differenceInterval,
  holm,
  intervalOf,
  pairedDifference,
  randomFrom,
} from "./statistics.ts";
import { type ScoredCell, summariseExperiment } from "./summarise.ts";

const help: ScorerHelp = {
  schemaFault: (_schema, value) => (typeof value === "object" ? undefined : "is no object"),
  finder: (kind) => (line) => (line.includes(`<${kind}>`) ? [[0, line.length]] : []),
};
const run = (fields: Partial<ScoredRun> = {}): ScoredRun => ({
  input: "Refund 17",
  answer: "Refunded.",
  calls: [
    { tool: "find", input: { id: "17" } },
    { tool: "refund", input: { id: "17", amount: 20 } },
  ],
  outcome: "done",
  tokens: 100,
  costUsd: 0.02,
  modelMs: 900,
  ...fields,
});
const score = (spec: PlainScorerSpec, fields: Partial<ScoredRun> = {}) =>
  plainScore(spec, run(fields), help).score;
const [find, refund] = [{ tool: "find" }, { tool: "refund", input: { amount: "20" } }];

describe("a declared scorer", () => {
  test.each<[number, PlainScorerSpec, Partial<ScoredRun>]>([
    [1, { type: "exact" }, { expected: " Refunded. " }],
    [0, { type: "exact" }, { expected: "refunded." }],
    [1, { type: "exact", ignore_case: true }, { expected: "refunded." }],
    [1, { type: "exact", value: { a: 1, b: 2 } }, { answer: '```json\n{"b":2,"a":1}\n```' }],
    [0, { type: "exact" }, {}],
    [1, { type: "contains", all: ["fund"], none: ["denied"] }, {}],
    [0, { type: "contains", none: ["Refund"] }, {}],
    [0, { type: "contains", all: ["fund", "tomorrow"] }, {}],
    [1, { type: "json", path: "total[0].usd", equals: 5 }, { answer: '{"total":[{"usd":5}]}' }],
    [1, { type: "json", path: "/total/0", equals: 5 }, { answer: '{"total":[5]}' }],
    [0, { type: "json", path: "/total", equals: 5 }, { answer: '{"total":"5"}' }],
    [1, { type: "json", path: "total" }, { answer: '{"total":5}', expected: { total: 5 } }],
    [0, { type: "json", path: "__proto__.x" }, { answer: "{}" }],
    [0, { type: "json", path: "total" }, {}],
    [1, { type: "schema", schema: {} }, { answer: "{}" }],
    [0, { type: "schema", schema: {} }, { answer: "5" }],
    [1, { type: "trajectory", order: "in_order", calls: [find, refund] }, {}],
    [0, { type: "trajectory", order: "in_order", calls: [refund, find] }, {}],
    [0, { type: "trajectory", order: "in_order", calls: [find] }, {}],
    [1, { type: "trajectory", order: "any_order", calls: [refund, find] }, {}],
    [0, { type: "trajectory", order: "any_order", calls: [find, find] }, {}],
    [0, { type: "trajectory", order: "any_order", calls: [find] }, {}],
    [1, { type: "trajectory", order: "at_least", calls: [refund] }, {}],
    [0, { type: "trajectory", order: "at_least", calls: [{ tool: "refund", input: { amount: 21 } }] }, {}],
    [0, { type: "trajectory", order: "never", calls: [refund] }, {}],
    [1, { type: "trajectory", order: "never", calls: [{ tool: "ship" }] }, {}],
    [1, { type: "cost", most_usd: 0.02 }, {}],
    [0, { type: "cost", most_usd: 0.01 }, {}],
    [1, { type: "time", most_ms: 1000 }, {}],
    [0, { type: "time", most_ms: 100 }, {}],
    [1, { type: "refusal" }, { answer: "I’m sorry, but I can't do that." }],
    [0, { type: "refusal" }, {}],
    [1, { type: "refusal", expected: false }, {}],
    [0, { type: "no_leak" }, { answer: "one\n<email>" }],
    [0, { type: "no_leak" }, { calls: [{ tool: "mail", input: { body: "<secret>" } }] }],
    [1, { type: "no_leak", kinds: ["phone"], words: ["Project X"] }, { answer: "<email>" }],
    [0, { type: "no_leak", kinds: [], words: ["project x"] }, { answer: "It is Project X." }],
  ])("gives %d: %j %j", (expected, spec, fields) => {
    expect(score(spec, fields)).toBe(expected);
  });

  test("says why something did not pass, and not what leaked", () => {
    const leaked = plainScore({ type: "no_leak", words: ["Project X"] }, run({ answer: "Project X" }), help);
    expect(leaked.why).not.toContain("Project X");
    const missing = plainScore(
      { type: "trajectory", order: "at_least", calls: [{ tool: "ship" }] },
      run(),
      help,
    );
    expect(missing.why).toBe("ship was not called");
  });

  test("is told apart from those that need a model or a person", () => {
    expect([isPlain({ type: "exact" }), isPlain({ type: "judge" }), isPlain({ type: "toString" })]).toEqual([
      true,
      false,
      false,
    ]);
  });
});

describe("a scorer of one's own", () => {
  test("is a function", async () => {
    const polite = defineScorer({ name: "polite", score: ({ answer }) => answer.endsWith(".") });
    expect(await polite.score(run())).toEqual({ score: 1 });
  });

  test.each([[2], [Number.NaN], [-1]])("that returns %d is an error, not a score", async (returned) => {
    await expect(defineScorer({ name: "odd", score: () => returned }).score(run())).rejects.toThrow(
      "from 0 to 1",
    );
  });

  test("needs a name that fits a report", () => {
    expect(() => defineScorer({ name: "Not this", score: () => 1 })).toThrow("name");
  });
});

describe("statistics", () => {
  test("ten of ten does not prove that the eleventh passes", () => {
    const { mean, low, high } = intervalOf(Array(10).fill(1)) ?? { mean: 0, low: 0, high: 0 };
    expect(mean).toBe(1);
    expect(high).toBeCloseTo(1);
    expect(low).toBeCloseTo(0.722, 2); // Wilson
  });

  test.each([
    [2, 12.7062],
    [11, 2.22814],
    [12, 2.20099],
    [16, 2.13145],
    [31, 2.04227],
  ])("an interval of %d scores is as wide as Student's t says", (count, t) => {
    const scores = Array.from({ length: count }, (_, at) => 0.5 + (at % 2 === 0 ? 0.001 : -0.001) * (at + 1));
    const mean = scores.reduce((sum, score) => sum + score, 0) / count;
    const deviation = Math.sqrt(scores.reduce((sum, score) => sum + (score - mean) ** 2, 0) / (count - 1));
    const { low = 0, high = 0 } = intervalOf(scores) ?? {};
    expect((high - low) / 2 / (deviation / Math.sqrt(count))).toBeCloseTo(t, 3);
  });

  test("an interval of shares contains the mean and stays within 0 and 1", () => {
    const { mean, low, high } = intervalOf([0.2, 0.5, 0.9, 1, 0.7]) ?? { mean: 0, low: 0, high: 0 };
    expect(mean).toBeCloseTo(0.66);
    expect(low).toBeCloseTo(0.258, 2); // by hand: t(4) = 2.776, s = 0.3209
    expect(high).toBe(1);
  });

  test.each<[string, number, number]>([
    ["ten of ten worse: 2 of 1,024 patterns", 10, 2 / 1024],
    ["three of three worse: no proof", 3, 0.25],
  ])("%s", (_what, count, p) => {
    const pairs = Array.from({ length: count }, () => ({ before: 1, after: 0 }));
    expect(pairedDifference(pairs)?.p).toBeCloseTo(p, 6);
  });

  test("of many items comes from a fixed sample: the same each time, and right", () => {
    const pairs = Array.from({ length: 40 }, (_, at) => ({ before: 0, after: at % 2 === 0 ? 1 : -1 }));
    expect(pairedDifference(pairs)?.p).toBeGreaterThan(0.9);
    const worse = Array.from({ length: 40 }, () => ({ before: 1, after: 0 }));
    expect(pairedDifference(worse)?.p).toBeLessThan(0.001);
    expect(pairedDifference(pairs)).toEqual(pairedDifference(pairs));
  });

  test.each([
    [5, 0, 0.05],
    [10, 0.02, 0.1],
    [20, 0, 0.9],
    [50, 0.3, 0.05],
  ])(
    "the interval of %d pairs of passes and fails covers the true difference: %d better, %d worse",
    (count, better, worse) => {
      const random = randomFrom(count);
      const difference = () => {
        const at = random();
        return at < better ? 1 : at < better + worse ? -1 : 0;
      };
      const rounds = Array.from({ length: 2_000 }, () =>
        differenceInterval(Array.from({ length: count }, difference)),
      );
      const covered = rounds.filter(([low, high]) => low <= better - worse && better - worse <= high);
      expect(covered.length / rounds.length).toBeGreaterThan(0.9);
    },
  );

  test("an interval of pairs is not empty where nothing differs, or everything does", () => {
    const [low, high] = differenceInterval(Array(10).fill(0));
    expect([low, high]).toEqual([expect.closeTo(-0.163, 3), expect.closeTo(0.163, 3)]);
    const pairs = Array.from({ length: 10 }, () => ({ before: 0, after: 1 }));
    expect(pairedDifference(pairs)).toMatchObject({ difference: 1, low: expect.closeTo(0.567, 3), high: 1 });
  });

  test("no pass at all begins at zero", () => expect(intervalOf([0, 0, 0])).toMatchObject({ low: 0 }));

  test("many comparisons make each one less sure", () => {
    expect(holm([0.01, 0.04, 0.03]).map((p) => Number(p.toFixed(3)))).toEqual([0.03, 0.06, 0.06]);
  });

  test("a judge that always says yes agrees by chance alone", () => {
    const pairs = [true, true, true, false].map((right) => ({ left: true, right }));
    expect(agreementOf(pairs)).toMatchObject({ share: 0.75, kappa: 0 });
  });
});

describe("the summary of an experiment", () => {
  const cell = (itemId: string, variant: number, passes: number[]): ScoredCell[] =>
    passes.map((value, repeat) => ({
      cellId: `${itemId}-${variant}-${repeat}`,
      itemId,
      variant,
      repeat,
      scores: [{ scorer: "exact", score: value, passed: value === 1 }],
      tokens: 10,
      costUsd: 0.1,
      modelMs: 5,
    }));

  test("has regressions with the largest drop first, and names flaky cases", () => {
    const cells = [
      ...cell("a", 0, [1, 1]),
      ...cell("a", 1, [1, 0]),
      ...cell("b", 0, [1, 1]),
      ...cell("b", 1, [0, 0]),
      ...cell("c", 0, [0, 0]),
      ...cell("c", 1, [1, 1]),
    ];
    const { variants, regressions, flaky, pairs } = summariseExperiment(cells, 2);
    expect(variants.map(({ scorers }) => scorers[0]?.mean)).toEqual([2 / 3, 0.5]);
    expect(regressions.map(({ itemId, before, after }) => [itemId, before, after])).toEqual([
      ["b", 1, 0],
      ["a", 1, 0.5],
    ]);
    expect(flaky).toEqual([{ itemId: "a", scorer: "exact", variant: 1, passed: 1, of: 2 }]);
    expect(pairs).toMatchObject([{ variant: 1, verdict: "no_difference_found", items: 3 }]);
  });

  test("calls a variant worse only when chance is an unlikely reason", () => {
    const items = Array.from({ length: 12 }, (_, at) => `item ${at}`);
    const cells = items.flatMap((item) => [...cell(item, 0, [1]), ...cell(item, 1, [0])]);
    expect(summariseExperiment(cells, 2).pairs).toMatchObject([{ verdict: "worse", difference: -1 }]);
  });

  test("counts no score that nobody has given yet", () => {
    const [first] = cell("a", 0, [1]);
    const pending = { ...(first as ScoredCell), scores: [{ scorer: "human", score: null, passed: null }] };
    expect(summariseExperiment([pending], 1).variants[0]?.scorers).toEqual([]);
  });
});
