import { describe, expect, test } from "vitest";
import { callSettings } from "./call-settings.ts";

const first = { isFirstStep: true, toolNames: ["add"] };
const later = { isFirstStep: false, toolNames: ["add"] };

describe("model settings of a client", () => {
  test("reach the model unchanged, and nothing else does", () => {
    const sampling = { temperature: 0, topP: undefined, stopSequences: ["END"] };
    expect(callSettings({ sampling }, first)).toEqual({ temperature: 0, stopSequences: ["END"] });
    expect(callSettings({}, first)).toEqual({});
  });

  test.each([
    ["none", first, { type: "none" }],
    ["none", later, { type: "none" }],
    ["required", first, { type: "required" }],
    ["required", later, undefined],
    [{ name: "add" }, first, { type: "tool", toolName: "add" }],
    [{ name: "add" }, later, undefined],
    ["required", { isFirstStep: true, toolNames: [] }, undefined],
  ] as const)("tool choice %j at %j is %j", (toolChoice, step, expected) => {
    expect(callSettings({ toolChoice }, step).toolChoice).toEqual(expected);
  });
});
