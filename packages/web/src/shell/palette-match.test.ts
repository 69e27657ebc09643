import { expect, test } from "vitest";
import { matchScore } from "./palette-match.ts";

test.each<[string, string[]]>([
  ["sched", ["Schedules", "Show keyboard shortcuts"]],
  ["key", ["API keys", "Monitors"]],
  ["audit", ["Audit log", "Users and scopes"]],
  ["new agent", ["New agent", "Agents"]],
])("%j finds %j first", (typed, [first = "", other = ""]) => {
  expect(matchScore(typed, first)).toBeGreaterThan(matchScore(typed, other));
});

test.each<[string, string, string, number]>([
  ["", "Anything", "", 1],
  ["HOME", "Home", "", 1],
  ["scopes users", "Users and scopes", "", 0.8],
  ["ollama", "Models and providers", "api key ollama", 0.5],
  ["dule", "Schedules", "", 0.3],
  ["sdls", "Schedules", "", 0],
  ["日本", "日本語の会話", "", 1],
])("%j for %j with %j scores %d", (typed, name, also, score) => {
  expect(matchScore(typed, name, also)).toBe(score);
});
