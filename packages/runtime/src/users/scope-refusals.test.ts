import { expect, test } from "vitest";
import { scopeRefusals } from "./scope-refusals.ts";

test("a refusal counts once, for its login, and only for a refresh right after it", () => {
  let now = 0;
  const refusals = scopeRefusals(() => now);
  expect(refusals.take("a")).toBe(false);
  refusals.note("a");
  expect(refusals.take("b")).toBe(false);
  expect(refusals.take("a")).toBe(true);
  expect(refusals.take("a")).toBe(false);
  refusals.note("a");
  now = 10_001;
  expect(refusals.take("a")).toBe(false);
});
