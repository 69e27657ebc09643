import type { CodingAgentInfo } from "@capstan/client";
import { describe, expect, test } from "vitest";
import { cellOf, cellWords } from "./capability-cells.ts";

const agent = (declared: object, probed: object | null = null, observed: object | null = null) =>
  ({
    name: "x",
    display_name: "X",
    installed: true,
    declared,
    probed,
    observed,
    effective: declared,
  }) as unknown as CodingAgentInfo;

describe("a cell of the matrix", () => {
  test.each([
    ["what is declared, when nothing else is known", agent({ canFork: true }), [true, false, false]],
    [
      "what a probe found, over what is declared",
      agent({ canFork: true }, { observed: { canFork: false } }),
      [false, true, true],
    ],
    [
      "what is effective, when an older probe counts",
      agent({ canFork: true }, null, { canFork: false }),
      [false, true, true],
    ],
    ["nothing, when nothing is known", agent({}), [undefined, false, false]],
  ])("shows %s", (_, info, [effective, seen, differs]) => {
    expect(cellOf(info, "canFork")).toMatchObject({ effective, seen, differs });
  });

  test("says in words who knows what", () => {
    const differing = agent({ canFork: true }, { observed: { canFork: false } });
    expect(cellWords(cellOf(differing, "canFork"))).toBe("declared yes, probed no, effective no");
    expect(cellWords(cellOf(agent({}), "canFork"))).toBe("unknown");
  });
});
