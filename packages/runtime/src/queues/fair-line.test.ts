import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { FairLine, type FairLineSettings, type Turn } from "./fair-line.ts";

const never = new AbortController().signal;
const settled = () => new Promise((resolve) => setImmediate(resolve));
const of = (name: string, group = "") => ({ group, name });

const line = (places: number, length: number) => {
  const fair = new FairLine({ places, length });
  const turns: string[] = [];
  const enter = (owner: string, name = owner) =>
    fair.enter(of(owner), never).then((turn: Turn) => turns.push(`${name} ${turn}`));
  return { fair, turns, enter };
};

/** Runs all that wait, each for its time, on a clock of its own; tells the owners in the order of their starts. */
async function runAll(
  settings: Omit<FairLineSettings, "now" | "length">,
  jobs: readonly { readonly owner: { group: string; name: string }; readonly ms: number }[],
): Promise<string[]> {
  let now = 0;
  const running: { owner: { group: string; name: string }; endsAt: number }[] = [];
  const starts: string[] = [];
  const fair = new FairLine({ ...settings, length: Number.POSITIVE_INFINITY, now: () => now });
  for (const { owner, ms } of jobs)
    void fair.enter(owner, never).then(() => {
      starts.push(owner.name);
      running.push({ owner, endsAt: now + ms });
    });
  await settled();
  while (running.length > 0) {
    running.sort((a, b) => a.endsAt - b.endsAt);
    const next = running.shift();
    if (!next) break;
    now = next.endsAt;
    fair.leave(next.owner);
    await Promise.resolve();
    await Promise.resolve();
  }
  return starts;
}

const many = (count: number, name: string, ms = 100, group = "") =>
  Array.from({ length: count }, () => ({ owner: of(name, group), ms }));
const share = (starts: readonly string[], name: string) => starts.filter((each) => each === name).length;

describe("a line for few places", () => {
  test("gives the next free place to the owner who has none, whoever came first", async () => {
    const { fair, turns, enter } = line(2, 10);
    for (const name of ["a1", "a2", "a3", "a4"]) enter("ann", name);
    enter("bob", "b1");
    await settled();
    expect(turns).toEqual(["a1 entered", "a2 entered"]);
    fair.leave(of("ann"));
    await settled();
    expect(turns.at(-1)).toBe("b1 entered");
  });

  test("that one owner filled still takes another owner, and turns away the newest of the many", async () => {
    const { turns, enter } = line(1, 3);
    for (const name of ["a1", "a2", "a3", "a4", "a5"]) enter("ann", name);
    enter("bob", "b1");
    await settled();
    expect(turns).toEqual(["a1 entered", "a5 full", "a4 full"]);
  });

  test("lets go of who stopped waiting, and of everybody when it closes", async () => {
    const { fair, turns, enter } = line(1, 3);
    enter("ann");
    const stop = new AbortController();
    fair.enter(of("bob"), stop.signal).then((turn) => turns.push(`bob ${turn}`));
    enter("eve");
    stop.abort();
    fair.close();
    enter("late");
    await settled();
    expect(turns).toEqual(["ann entered", "bob cancelled", "eve cancelled", "late full"]);
  });

  test("takes the one run of a user next, however few places there are and however many others wait", async () => {
    for (const places of [1, 2, 7]) {
      const starts = await runAll({ places }, [...many(1000, "ann"), ...many(1, "bob")]);
      expect(starts.indexOf("bob")).toBeLessThanOrEqual(places);
    }
  });
});

describe("weights", () => {
  test.each([1, 2, 4, 20])("of 3 and 1 give three starts for one, with %i places", async (places) => {
    const weightOf = ({ name }: { name: string }) => (name === "ann" ? 3 : 1);
    const starts = await runAll({ places, weightOf }, [...many(600, "bob"), ...many(600, "ann")]);
    const first = starts.slice(0, 420);
    expect(share(first, "ann") / share(first, "bob")).toBeGreaterThan(2.7);
    expect(share(first, "ann") / share(first, "bob")).toBeLessThan(3.3);
  });

  test("of organisations come before those of their users: a thousand users get no more than one", async () => {
    const crowd = Array.from({ length: 300 }, (_, at) => many(2, `user${at}`, 100, "crowd")).flat();
    const starts = await runAll({ places: 4 }, [...crowd, ...many(300, "alone", 100, "other")]);
    const first = starts.slice(0, 400);
    expect(share(first, "alone")).toBeGreaterThan(190);
    const weightOfGroup = (group: string) => (group === "crowd" ? 4 : 1);
    const weighted = await runAll({ places: 4, weightOfGroup }, [
      ...crowd,
      ...many(300, "alone", 100, "other"),
    ]);
    expect(share(weighted.slice(0, 400), "alone")).toBeLessThan(100);
  });

  test("count time, not starts: long runs do not crowd out short ones", async () => {
    const starts = await runAll({ places: 10 }, [...many(100, "ann", 60_000), ...many(1000, "bob", 100)]);
    const before = starts.slice(0, 300);
    expect(share(before, "ann")).toBeLessThan(30);
  });

  test("everybody gets a place in the end, and nobody waits for more than all others' share (property)", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ name: fc.constantFrom("a", "b", "c"), ms: fc.integer({ min: 0, max: 50 }) }), {
          maxLength: 60,
        }),
        fc.integer({ min: 1, max: 5 }),
        async (jobs, places) => {
          const starts = await runAll(
            { places },
            jobs.map(({ name, ms }) => ({ owner: of(name), ms })),
          );
          expect([...starts].sort()).toEqual(jobs.map(({ name }) => name).sort());
        },
      ),
      { numRuns: 50 },
    );
  });
});
