import { describe, expect, test } from "vitest";
import { nearest } from "./nearest.ts";

describe("nearest", () => {
  const names = ["get_weather", "get_forecast", "web_fetch", "add"];
  test.each([
    ["get_wether", ["get_weather"]],
    ["fetch", ["web_fetch"]],
    ["dad", ["add"]],
    ["WEB_FETCH", ["web_fetch"]],
    ["zzzzzz", []],
    ["x".repeat(1_000_000), []],
  ])("to %.20j are %j", (typed, found) => {
    expect(nearest(typed, names)).toEqual(found);
  });
});
