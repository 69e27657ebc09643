import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { RouteDocument } from "./document.ts";
import { byPrecision, rank } from "./rank.ts";
import { createRouteIndex } from "./route-index.ts";
import type { Embed } from "./vectors.ts";
import { STATIC_WEIGHTS, weightsFor } from "./weights.ts";

const DOCUMENTS: readonly RouteDocument[] = [
  {
    id: "mail.send",
    name: "Send Mail",
    description: "Send an e-mail to a person.",
    tags: ["mail"],
    triggers: ["write to my boss", "send a message by mail"],
  },
  {
    id: "mail.read",
    name: "Read Mail",
    description: "Read the newest e-mails of the inbox.",
    tags: ["mail", "inbox"],
  },
  {
    id: "weather.now",
    name: "Current Weather",
    description: "The weather in a city now.",
    params: ["city"],
    triggers: ["is it raining", "how warm is it"],
  },
  {
    id: "weather.forecast",
    name: "Weather Forecast",
    description: "The weather in a city for the coming days.",
    params: ["city", "days"],
  },
  { id: "file.delete", name: "Delete File", description: "Delete a file for good.", params: ["path"] },
  {
    id: "file.create",
    name: "Create File",
    description: "Create a file with content.",
    params: ["path", "content"],
  },
  {
    id: "page.read",
    name: "Read Page",
    description: "Open a web page and read it.",
    needsUrl: true,
    triggers: ["open this page"],
  },
  {
    id: "hook.list",
    name: "List Hooks",
    description: "List webhook events that came in.",
    contextWords: ["webhook", "hook"],
  },
];

/** Letters as dimensions: stands in for a model that sees spelling instead of meaning; deterministic. */
const spelling: Embed = (text) => {
  const vector = new Float32Array(32);
  for (const letter of text.toLowerCase()) {
    const at = letter.charCodeAt(0) - 97;
    if (at >= 0 && at < 26) vector[at] = (vector[at] ?? 0) + 1;
  }
  const norm = Math.hypot(...vector);
  return norm === 0 ? undefined : vector.map((value) => value / norm);
};

const indexOf = (documents: readonly RouteDocument[], embed?: Embed) => {
  const index = createRouteIndex({ embed });
  for (const document of documents) index.add(document);
  return index;
};
const best = (task: string, documents = DOCUMENTS) => rank(task, indexOf(documents)).matches[0]?.id;

/** Never refuses, so that a catalog of two lines can be ranked. */
const LENIENT = { ...weightsFor(undefined), noneThreshold: 1.1 };

describe("rank", () => {
  test.each([
    ["send an e-mail to ann", "mail.send"],
    ["read my newest mails", "mail.read"],
    ["what is the weather in Paris now", "weather.now"],
    ["weather forecast for the next days", "weather.forecast"],
    ["delete the file /tmp/x", "file.delete"],
    ["create a file with this content", "file.create"],
    ["is it raining", "weather.now"],
    ["getWeatherForecast for Rome", "weather.forecast"],
    ["list the webhook events", "hook.list"],
  ])("%j finds %s by words alone", (task, id) => {
    expect(best(task)).toBe(id);
  });

  test("gives reasons: triggers, tags, names and verbs", () => {
    const [match] = rank("send a message by mail", indexOf(DOCUMENTS)).matches;
    expect(match).toMatchObject({
      id: "mail.send",
      score: expect.any(Number),
      reasons: expect.arrayContaining([
        "trigger:send a message by mail",
        "tag:mail",
        "name:send mail",
        "action:send",
      ]),
    });
  });

  test("the dynamic floor drops what is far behind the best, and `rejected` says so", () => {
    const { matches, rejected = [] } = rank("send a message by mail", indexOf(DOCUMENTS), { rejected: true });
    const best = matches[0]?.score ?? 0;
    expect(matches.every(({ score }) => score >= 0.45 * best)).toBe(true);
    expect(rejected.some(({ score, why }) => score < 0.45 * best && why.startsWith("below the floor"))).toBe(
      true,
    );
  });

  test("a tag counts in another form than it is written, and a domain by its name", () => {
    const index = indexOf([
      { id: "a", name: "One", description: "Something.", tags: ["invoice"], domain: "billing" },
      { id: "b", name: "Two", description: "Something else.", tags: ["weather"], domain: "climate" },
    ]);
    const reasonsOf = (task: string) => rank(task, index, { weights: LENIENT }).matches[0];
    expect(reasonsOf("all the invoices of billing")).toMatchObject({
      id: "a",
      reasons: expect.arrayContaining(["tag:invoice", "domain:billing"]),
    });
  });

  test("quotes the nearest trigger with its similarity when an embedding is there", () => {
    const { matches } = rank("how warm is it outside", indexOf(DOCUMENTS, spelling));
    expect(matches.find(({ id }) => id === "weather.now")?.reasons.at(-1)).toMatch(
      /^semantic:0\.\d\d "how warm is it"$/,
    );
  });

  test("uses an embedding with its own weights", () => {
    const weights = { ...STATIC_WEIGHTS, noneThreshold: 0 };
    const strict: Embed = Object.assign((text: string) => spelling(text), { weights });
    expect(rank("read my newest mails", indexOf(DOCUMENTS, spelling)).noMatch).toBe(false);
    expect(rank("read my newest mails", indexOf(DOCUMENTS, strict)).noMatch).toBe(true);
  });

  test("gives the same answer in a thousand orders of registration", () => {
    const tasks = [
      "send mail",
      "weather in the coming days",
      "open https://example.com",
      "delete and create a file",
    ];
    const answer = (documents: readonly RouteDocument[]) => {
      const index = indexOf(documents, spelling);
      return JSON.stringify(tasks.map((task) => rank(task, index, { rejected: true })));
    };
    const expected = answer(DOCUMENTS);
    fc.assert(
      fc.property(fc.shuffledSubarray([...DOCUMENTS], { minLength: DOCUMENTS.length }), (shuffled) => {
        expect(answer(shuffled)).toBe(expected);
      }),
      { numRuns: 1000 },
    );
  });

  test("adding and removing a document leaves no trace", () => {
    const index = indexOf(DOCUMENTS, spelling);
    index.add({
      id: "zz",
      name: "Weather Mail File",
      description: "send read delete create weather",
      triggers: ["is it raining"],
    });
    index.add({ ...(DOCUMENTS[0] as RouteDocument), description: "Something else." });
    index.add(DOCUMENTS[0] as RouteDocument);
    index.remove("zz");
    const plain = indexOf(DOCUMENTS, spelling);
    for (const task of ["is it raining", "send mail", "delete the file"])
      expect(rank(task, index)).toEqual(rank(task, plain));
    expect([index.size, index.has("zz"), index.remove("zz")]).toEqual([DOCUMENTS.length, false, false]);
  });

  test("a multi-word trigger that occurs in the task is never refused", () => {
    const odd = "is it raining zzqx blorptag fnord grumbleverse qwxz vlorp";
    const [match] = rank(odd, indexOf(DOCUMENTS)).matches;
    expect(match).toMatchObject({
      id: "weather.now",
      reasons: expect.arrayContaining(["trigger:is it raining"]),
    });
    expect(rank(odd.replace("raining", "so"), indexOf(DOCUMENTS)).noMatch).toBe(true);
  });

  test("equal scores are ordered by trigger hits, then tag hits, then id", () => {
    const hit = (id: string, score: number, triggers: number, tags: number) => ({
      score,
      candidate: {
        entry: { document: { id } },
        triggerHits: Array<string>(triggers).fill("t"),
        tagHits: Array<string>(tags).fill("g"),
      },
    });
    const order = [
      hit("z", 2, 0, 0),
      hit("y", 1, 2, 0),
      hit("x", 1, 1, 3),
      hit("w", 1, 1, 2),
      hit("v2", 1, 1, 2),
    ];
    const expected = ["z", "y", "x", "v2", "w"];
    expect(
      order
        .toReversed()
        .sort(byPrecision)
        .map(({ candidate }) => candidate.entry.document.id),
    ).toEqual(expected);
  });

  test("identical documents are ordered by id", () => {
    const same = { name: "Paint", description: "Paint a wall." };
    const twins = [
      { ...same, id: "b" },
      { ...same, id: "a" },
    ];
    expect(rank("paint a wall", indexOf(twins)).matches.map(({ id }) => id)).toEqual(["a", "b"]);
  });

  test("what needs a URL ranks far lower without one", () => {
    const of = (task: string) => rank(task, indexOf(DOCUMENTS), { rejected: true });
    const [withUrl] = of("open this page https://example.com").matches;
    const without = [...of("open this for me").matches, ...(of("open this for me").rejected ?? [])];
    expect(withUrl).toMatchObject({ id: "page.read", reasons: expect.arrayContaining(["url"]) });
    expect(without.find(({ id }) => id === "page.read")?.score ?? 0).toBeLessThan((withUrl?.score ?? 0) / 2);
  });

  test("what needs a context word is refused without one, and `rejected` says why", () => {
    const { matches, rejected } = rank("list the events that came in", indexOf(DOCUMENTS), {
      rejected: true,
    });
    expect(matches.map(({ id }) => id)).not.toContain("hook.list");
    expect(rejected).toContainEqual({
      id: "hook.list",
      score: expect.any(Number),
      why: "context: the task contains none of webhook, hook",
    });
  });

  test("only visible capabilities are ranked", () => {
    const { matches } = rank("send mail", indexOf(DOCUMENTS), { visible: (id) => id !== "mail.send" });
    expect(matches[0]?.id).toBe("mail.read");
  });

  test.each(["", "   ", "\u0000\u0007\u202e", "qwxzv blorptag fnord"])("nothing fits %j", (task) => {
    expect(rank(task, indexOf(DOCUMENTS))).toMatchObject({ matches: [], noMatch: true });
  });

  const talk = { id: "chat", name: "Chat", description: "Talk.", fallback: true };

  test.each(["who invented the telescope?", "hello", "hi there", "what is love", "天は何色ですか？"])(
    "when nothing fits, the fallback answers %j and is marked as the fallback",
    (task) => {
      expect(rank(task, indexOf([...DOCUMENTS, talk]))).toMatchObject({
        matches: [{ id: "chat", reasons: [expect.stringMatching(/^fallback:/)] }],
        noMatch: false,
        isFallback: true,
      });
    },
  );

  test.each(["qwxzv blorptag", "asdf?", "order more printer paper", "can you lock the front door?"])(
    "the fallback does not answer %j, which is neither a question nor conversation",
    (task) => {
      expect(rank(task, indexOf([...DOCUMENTS, talk]))).toMatchObject({ matches: [], noMatch: true });
    },
  );

  test("every match has a reason, and a reason quotes the task", () => {
    for (const { matches } of [
      rank("please read the mail", indexOf(DOCUMENTS, spelling)),
      rank("zzz mmm aaa", indexOf(DOCUMENTS, spelling)),
    ])
      for (const { reasons } of matches) expect(reasons.length).toBeGreaterThan(0);
    const convert = { id: "c", name: "Convert Document", description: "Convert a document." };
    expect(rank("convert the document", indexOf([convert])).matches[0]?.reasons).toContain("action:convert");
  });

  test("splits a task of many clauses into several requests", () => {
    const { clauses } = rank(
      "Send a mail to my boss. Then delete the old report file and check the weather in Rome",
      indexOf(DOCUMENTS),
    );
    expect(clauses).toEqual([
      "Send a mail to my boss.",
      "delete the old report file",
      "check the weather in Rome",
    ]);
  });

  test.each([
    ["a megabyte of words", "send mail to everyone ".repeat(50_000)],
    ["a megabyte of one letter", "a".repeat(1_000_000)],
    ["a megabyte of digits", "1".repeat(1_000_000)],
    ["a megabyte of quotes", "'".repeat(1_000_000)],
    ["a megabyte of commas and ands", ", and ".repeat(160_000)],
    ["control characters", "send\u0000 \u0007mail\u202e now"],
    ["half a surrogate pair", "send \ud83d mail"],
  ])("answers %s, twice the same", (_, task) => {
    const index = indexOf(DOCUMENTS, spelling);
    expect(rank(task, index)).toEqual(rank(task, index));
  });

  test("any catalog and any task give an answer within bounds", () => {
    const text = fc.string({ unit: "grapheme", maxLength: 60 });
    const document = fc.record({
      id: fc.string({ minLength: 1 }),
      name: text,
      description: text,
      triggers: fc.array(text, { maxLength: 3 }),
      tags: fc.array(text, { maxLength: 3 }),
    });
    fc.assert(
      fc.property(fc.array(document, { maxLength: 8 }), text, (documents, task) => {
        const { matches, noMatch, confidence } = rank(task, indexOf(documents, spelling));
        expect(noMatch).toBe(matches.length === 0);
        expect(confidence).toBeGreaterThanOrEqual(0);
        expect(confidence).toBeLessThanOrEqual(1);
        for (const { score } of matches) expect(score >= 0 && score <= 12).toBe(true);
      }),
      { numRuns: 100 },
    );
  });
});
