import { describe, expect, test } from "vitest";
import { FairLine, type Turn } from "./fair-line.ts";

const never = new AbortController().signal;
const line = (places: number, length: number) => {
  const fair = new FairLine({ places, length });
  const turns: string[] = [];
  const enter = (owner: string, name = owner) =>
    fair.enter(owner, never).then((turn: Turn) => turns.push(`${name} ${turn}`));
  return { fair, turns, enter };
};
const settled = () => new Promise((resolve) => setImmediate(resolve));

describe("a line for few places", () => {
  test("gives the next free place to the owner who has none, whoever came first", async () => {
    const { fair, turns, enter } = line(2, 10);
    for (const name of ["a1", "a2", "a3", "a4"]) enter("ann", name);
    enter("bob", "b1");
    await settled();
    expect(turns).toEqual(["a1 entered", "a2 entered"]);
    fair.leave("ann");
    await settled();
    expect(turns.at(-1)).toBe("b1 entered");
    fair.leave("bob");
    await settled();
    expect(turns.at(-1)).toBe("a3 entered");
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
    fair.enter("bob", stop.signal).then((turn) => turns.push(`bob ${turn}`));
    enter("eve");
    stop.abort();
    fair.close();
    enter("late");
    await settled();
    expect(turns).toEqual(["ann entered", "bob cancelled", "eve cancelled", "late full"]);
  });
});
