import { describe, expect, test } from "vitest";
import { branchPoints, type FamilyMember } from "./branches.ts";

let clock = 0;
const member = (
  id: string,
  forkedFrom: string | null = null,
  forkPosition: number | null = null,
): FamilyMember => {
  clock += 1;
  return { id, forkedFrom, forkPosition, createdAt: new Date(clock), updatedAt: new Date(clock) };
};

describe("branchPoints", () => {
  test("of a session nobody forked there are none", () => {
    expect(branchPoints("a", [member("a")])).toEqual([]);
  });

  test("are the same from both sides", () => {
    const family = [member("a"), member("b", "a", 2)];
    const point = [{ position: 2, sessionIds: ["a", "b"] }];
    expect(branchPoints("a", family)).toEqual(point);
    expect(branchPoints("b", family)).toEqual(point);
  });

  test("three answers to one message are three ways, whichever was made from which", () => {
    const family = [member("a"), member("b", "a", 2), member("c", "b", 2)];
    for (const id of ["a", "b", "c"])
      expect(branchPoints(id, family)).toEqual([{ position: 2, sessionIds: ["a", "b", "c"] }]);
  });

  test("a later fork of a branch is no way of its own where both are the same", () => {
    const family = [member("a"), member("b", "a", 2), member("c", "b", 4)];
    expect(branchPoints("a", family)).toEqual([{ position: 2, sessionIds: ["a", "c"] }]);
    expect(branchPoints("b", family)).toEqual([
      { position: 2, sessionIds: ["a", "b"] },
      { position: 4, sessionIds: ["b", "c"] },
    ]);
  });

  test("an earlier fork of a branch leaves the first at the earlier message", () => {
    const family = [member("a"), member("b", "a", 6), member("c", "b", 2)];
    expect(branchPoints("a", family)).toEqual([
      { position: 2, sessionIds: ["a", "c"] },
      { position: 6, sessionIds: ["a", "b"] },
    ]);
  });

  test("where the first was deleted, its forks still leave one another where they left it", () => {
    const family = [member("b", "gone", 2), member("c", "gone", 4)];
    expect(branchPoints("b", family)).toEqual([{ position: 2, sessionIds: ["b", "c"] }]);
  });
});
