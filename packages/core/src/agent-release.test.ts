import { describe, expect, test } from "vitest";
import { type AgentOffer, changeOf, nextRelease } from "./agent-release.ts";

const parameters = (properties: object, required: string[] = []) => ({
  type: "object",
  properties,
  required,
  additionalProperties: false,
});
const tool = (properties: object = {}, required: string[] = []) => ({
  parameters: parameters(properties, required),
  policy: "auto" as const,
});
const offer = (more: Partial<AgentOffer> = {}): AgentOffer => ({
  revision: 1,
  declared: null,
  tools: { add: tool({ a: { type: "number" } }, ["a"]) },
  capabilities: { math: "1.0.0" },
  ...more,
});

describe("an agent's version", () => {
  test.each<[string, Partial<AgentOffer>, string]>([
    ["nothing changes", {}, "none"],
    ["the agent's own text changes", { revision: 2 }, "patch"],
    ["a capability has a new version with the same tools", { capabilities: { math: "1.0.1" } }, "patch"],
    ["a tool is gained", { tools: { ...offer().tools, subtract: tool() } }, "minor"],
    ["a tool is lost", { tools: {} }, "major"],
    ["a tool gets another name", { tools: { sum: tool({ a: { type: "number" } }, ["a"]) } }, "major"],
    [
      "an argument may be given that could not",
      { tools: { add: tool({ a: { type: "number" }, b: { type: "number" } }, ["a"]) } },
      "minor",
    ],
    [
      "an argument must be given that could not",
      { tools: { add: tool({ a: { type: "number" }, b: { type: "number" } }, ["a", "b"]) } },
      "major",
    ],
    ["an argument is lost", { tools: { add: tool() } }, "major"],
    ["an argument has another type", { tools: { add: tool({ a: { type: "string" } }, ["a"]) } }, "major"],
    [
      "a person is asked first",
      { tools: { add: { ...tool({ a: { type: "number" } }, ["a"]), policy: "approve" } } },
      "minor",
    ],
    [
      "the client must run it",
      { tools: { add: { ...tool({ a: { type: "number" } }, ["a"]), policy: "client" } } },
      "major",
    ],
  ])("when %s is %s", (_what, more, change) => {
    expect(changeOf(offer(), offer(more))).toBe(change);
  });

  test("the order of keys is no change: the database does not keep it", () => {
    const { additionalProperties, type, ...rest } = parameters({ a: { type: "number" } }, ["a"]);
    const stored = { policy: "auto" as const, parameters: { ...rest, type, additionalProperties } };
    expect(changeOf(offer(), offer({ tools: { add: stored } }))).toBe("none");
  });

  test("counts on by what changed", () => {
    const first = nextRelease(undefined, offer());
    expect(first.version).toBe("1.0.0");
    expect(nextRelease(first, offer())).toBe(first);
    const gained = nextRelease(first, offer({ tools: { ...offer().tools, subtract: tool() } }));
    expect(gained.version).toBe("1.1.0");
    const worded = nextRelease(gained, { ...gained.offer, revision: 2 });
    expect(worded.version).toBe("1.1.1");
    expect(nextRelease(worded, { ...worded.offer, tools: {} }).version).toBe("2.0.0");
  });

  test("an agent from before versions were kept has the one that it told", () => {
    expect(nextRelease(undefined, offer({ revision: 7 })).version).toBe("7.0.0");
  });

  test("is what its author says, and counts on from there", () => {
    const first = nextRelease(undefined, offer({ declared: "0.4.0" }));
    expect(first.version).toBe("0.4.0");
    const changed = nextRelease(first, offer({ declared: "0.4.0", revision: 2 }));
    expect(changed.version).toBe("0.4.1");
    const declared = nextRelease(changed, offer({ declared: "3.0.0-beta.1", revision: 3, tools: {} }));
    expect(declared.version).toBe("3.0.0-beta.1");
    expect(nextRelease(declared, { ...declared.offer, revision: 4 }).version).toBe("3.0.1");
  });
});
