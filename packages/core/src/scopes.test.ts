import { describe, expect, test } from "vitest";
import { effectiveScopes, missingScopes } from "./scopes.ts";

describe("effective scopes", () => {
  test.each([
    [["a", "b"], ["b", "c"], ["b"]],
    [["*"], ["b", "c"], ["b", "c"]],
    [["a"], ["*"], ["a"]],
    [["*"], ["*"], ["*"]],
    [[], ["*"], []],
    [["*"], [], []],
  ])("of an agent with %j and a user with %j are %j", (agent, user, both) => {
    expect(effectiveScopes(agent, user)).toEqual(both);
  });
});

describe("missing scopes", () => {
  test.each([
    [["a", "b"], ["a"], ["b"]],
    [["a"], ["*"], []],
    [["a", "a"], [], ["a"]],
    [[], [], []],
  ])("of %j with %j granted are %j", (required, granted, missing) => {
    expect(missingScopes(required, granted)).toEqual(missing);
  });
});
