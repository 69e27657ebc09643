import { describe, expect, test } from "vitest";
import { abilitiesOf } from "./abilities.ts";

describe("what the chat offers", () => {
  test("is only what the agent declares", () => {
    const document = {
      reasoning: { supported: true },
      humanInTheLoop: { approvals: true, feedback: true, approveWithEdits: false },
      multiAgent: { subAgents: [{ name: "Cook" }, { nonsense: 1 }] },
      multimodal: { input: { image: true, file: false } },
    };
    expect(abilitiesOf(document)).toEqual({
      reasoning: true,
      feedback: true,
      approveWithEdits: false,
      subAgents: [{ name: "Cook" }],
      uploads: ["image"],
    });
  });

  test.each([undefined, null, {}, "text", { multimodal: null }])("is nothing more for %j", (document) => {
    expect(abilitiesOf(document)).toEqual({
      reasoning: false,
      feedback: false,
      approveWithEdits: true,
      subAgents: [],
      uploads: [],
    });
  });
});
