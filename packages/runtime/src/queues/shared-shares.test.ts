import { describe, expect, test } from "vitest";
import { FairLine, type LineOwner } from "./fair-line.ts";
import { SharedShares } from "./shared-shares.ts";

const never = new AbortController().signal;
const BEAT_MS = 1000;
const of = (name: string, group = "") => ({ group, name });

interface Job {
  readonly process: number;
  readonly owner: LineOwner;
  readonly ms: number;
}

interface Settings {
  readonly places: number;
  readonly weights?: Readonly<Record<string, number>>;
  readonly tells?: boolean;
}

/** Processes on one clock, with a heartbeat each second. Answers how many of each owner's runs ended until then. */
async function runUntil(
  endMs: number,
  { places, weights = {}, tells = true }: Settings,
  jobs: readonly Job[],
) {
  let now = 0;
  const clock = () => now;
  const weightOf = ({ name }: LineOwner) => weights[name] ?? 1;
  const weightOfGroup = (group: string) => weights[group] ?? 1;
  const count = Math.max(...jobs.map(({ process }) => process)) + 1;
  const processes = Array.from({ length: count }, () => {
    const settings = { places, weightOf, weightOfGroup, length: Number.POSITIVE_INFINITY, now: clock };
    const line = new FairLine(settings);
    return { line, shares: new SharedShares(line, clock) };
  });
  const running: { readonly leave: () => void; readonly endsAt: number }[] = [];
  const ended: Record<string, number> = {};
  for (const { process, owner, ms } of jobs) {
    const line = processes[process]?.line;
    void line?.enter(owner, never).then(() => {
      const leave = () => {
        ended[owner.name] = (ended[owner.name] ?? 0) + 1;
        line.leave(owner);
      };
      running.push({ leave, endsAt: now + ms });
    });
  }
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  await settled();
  for (let beatAt = BEAT_MS; now < endMs && running.length > 0; ) {
    running.sort((a, b) => a.endsAt - b.endsAt);
    const first = running[0];
    if (!first || first.endsAt > beatAt) {
      now = beatAt;
      beatAt += BEAT_MS;
      const told = processes.map(({ shares }) => (tells ? shares.toTell() : []));
      for (const [at, { shares }] of processes.entries())
        for (const word of told.filter((_, from) => from !== at).flat()) shares.hear(word);
      continue;
    }
    running.shift();
    now = first.endsAt;
    first.leave();
    await settled();
  }
  return ended;
}

const many = (process: number, count: number, owner: LineOwner, ms = 400): Job[] =>
  Array.from({ length: count }, () => ({ process, owner, ms }));
const ratio = (ended: Readonly<Record<string, number>>, one: string, other: string) =>
  (ended[one] ?? 0) / (ended[other] ?? 0);

const LOPSIDED = [...many(0, 900, of("ann")), ...many(1, 450, of("ann")), ...many(1, 900, of("bob"))];

describe("lines of several processes", () => {
  test("without a word, who waits in both gets three quarters: what this is for", async () => {
    const ended = await runUntil(60_000, { places: 2, tells: false }, LOPSIDED);
    expect(ratio(ended, "ann", "bob")).toBeGreaterThan(2.8);
  });

  test("give two users the same where one waits in both and the other in one", async () => {
    const ended = await runUntil(60_000, { places: 2 }, LOPSIDED);
    expect(ratio(ended, "ann", "bob")).toBeGreaterThan(0.9);
    expect(ratio(ended, "ann", "bob")).toBeLessThan(1.15);
  });

  test("keep to weights over three processes that hold different users' runs", async () => {
    const jobs = [
      ...many(0, 600, of("ann")),
      ...many(0, 600, of("bob")),
      ...many(1, 600, of("bob")),
      ...many(1, 600, of("ann")),
      ...many(2, 600, of("bob")),
      ...many(2, 600, of("ann")),
      ...many(2, 600, of("eve")),
    ];
    const ended = await runUntil(90_000, { places: 3, weights: { ann: 2 } }, jobs);
    expect(ratio(ended, "ann", "bob")).toBeGreaterThan(1.85);
    expect(ratio(ended, "ann", "bob")).toBeLessThan(2.15);
    expect(ratio(ended, "eve", "bob")).toBeGreaterThan(0.85);
  });

  test("keep to weights of organisations, too", async () => {
    const jobs = [
      ...many(0, 600, of("ann", "acme")),
      ...many(1, 600, of("ann", "acme")),
      ...many(1, 600, of("bob", "other")),
    ];
    const ended = await runUntil(60_000, { places: 2 }, jobs);
    expect(ratio(ended, "ann", "bob")).toBeGreaterThan(0.9);
    expect(ratio(ended, "ann", "bob")).toBeLessThan(1.15);
    const weighted = await runUntil(60_000, { places: 2, weights: { acme: 3 } }, jobs);
    expect(ratio(weighted, "ann", "bob")).toBeGreaterThan(2.8);
    expect(ratio(weighted, "ann", "bob")).toBeLessThan(3.2);
  });
});

describe("what one process tells", () => {
  const process = (places = 1) => {
    const clock = { now: 0 };
    const line = new FairLine({ places, length: 1000, now: () => clock.now });
    return { clock, line, shares: new SharedShares(line, () => clock.now) };
  };
  const heard = (word: string) => JSON.parse(Buffer.from(word, "base64url").toString());

  test("is nothing while nobody waits, here or elsewhere", () => {
    const { clock, line, shares } = process();
    void line.enter(of("ann"), never);
    clock.now = 5_000;
    expect(shares.toTell()).toEqual([]);
  });

  test("begins when another process has somebody waiting, and counts from then", () => {
    const [one, other] = [process(), process()];
    void one.line.enter(of("ann"), never);
    one.clock.now = 3_600_000;
    void other.line.enter(of("bob"), never);
    void other.line.enter(of("bob"), never);
    for (const word of other.shares.toTell()) one.shares.hear(word);
    one.clock.now += 2_000;
    expect(one.shares.toTell().map(heard)).toEqual([{ waits: false, used: [["", "ann", 2_000]] }]);
    one.clock.now += 10_000;
    expect(one.shares.toTell()).toEqual([]);
  });

  test("tells each millisecond once, of runs that go on and of those that ended", () => {
    const { clock, line, shares } = process(2);
    for (const name of ["ann", "ann", "bob", "bob"]) void line.enter(of(name), never);
    shares.toTell();
    clock.now = 1_000;
    expect(shares.toTell().map(heard)).toEqual([{ waits: true, used: [["", "ann", 2_000]] }]);
    clock.now = 1_500;
    line.leave(of("ann"));
    clock.now = 2_000;
    const used = [
      ["", "ann", 1_500],
      ["", "bob", 500],
    ];
    expect(shares.toTell().map(heard)).toEqual([{ waits: true, used }]);
  });

  test("fits into notifications of 8,000 bytes, with every owner in one of them", () => {
    const { clock, line, shares } = process(700);
    const names = Array.from({ length: 701 }, (_, at) => `ünüsual.${"x".repeat(at % 200)}${at}@example.com`);
    for (const name of names) void line.enter(of(name), never);
    shares.toTell();
    clock.now = 1_000;
    const words = shares.toTell();
    for (const word of words) expect(word.length).toBeLessThan(7_800);
    expect(words.flatMap((word) => heard(word).used)).toHaveLength(700);
  });

  test.each(["", "%", "not base64!", Buffer.from('{"waits":1}').toString("base64url")])(
    "a word that cannot be read (%j) counts as nothing",
    (word) => {
      const { line, shares } = process();
      void line.enter(of("ann"), never);
      shares.hear(word);
      expect(shares.toTell()).toEqual([]);
    },
  );

  test("holds somebody up for half a minute at most, however much they had elsewhere", async () => {
    const day = 86_400_000;
    const jobs = [...many(0, 300, of("bob")), ...many(0, 300, of("ann"))];
    const clock = { now: 0 };
    const line = new FairLine({ places: 1, length: 1000, now: () => clock.now });
    line.countElsewhere({ owner: of("ann"), ms: day });
    const starts: string[] = [];
    for (const { owner } of jobs) void line.enter(owner, never).then(() => starts.push(owner.name));
    for (let ran = 0; ran < 100; ran++) {
      await new Promise((resolve) => setImmediate(resolve));
      clock.now += 1_000;
      line.leave(of(starts.at(-1) ?? ""));
    }
    expect(starts.indexOf("ann")).toBeGreaterThan(20);
    expect(starts.indexOf("ann")).toBeLessThanOrEqual(32);
  });
});
