import { describe, expect, test } from "vitest";
import { interpolate, readEnvFile } from "./env-file.ts";

describe("env files", () => {
  test.each([
    [
      "DELEGATED_USER=user@example.com    # User this instance manages",
      { DELEGATED_USER: "user@example.com" },
    ],
    ["POLL_INTERVAL=60", { POLL_INTERVAL: "60" }],
    ['A="two words" # note', { A: "two words" }],
    ["A='#1'", { A: "#1" }],
    ["A=x#y", { A: "x#y" }],
    ["A=", { A: "" }],
    ["A= # nothing", { A: "" }],
    ["export A=1\r\nB=2", { A: "1", B: "2" }],
    ["# A=1\n\nnonsense", {}],
  ])("%j is %j", (text, values) => {
    expect(readEnvFile(text)).toEqual(values);
  });

  test.each([
    ["../data/users/$" + "{U}", "../data/users/a@x.org"],
    ["$" + "{MISSING:-8080}", "8080"],
    ["$" + "{MISSING}x", "x"],
  ])("%s is interpolated", (text, expected) => {
    expect(interpolate(text, { U: "a@x.org" })).toBe(expected);
  });
});
