import { expect, test } from "vitest";
import { calledByName } from "./called-by-name.ts";
import { createRouteIndex } from "./route-index.ts";

const index = createRouteIndex();
index.add({ id: "brave", name: "brave-search", description: "Search the web." });
index.add({ id: "linear", name: "linear-mcp", description: "Tools.", triggers: ["Creates an issue"] });
index.add({ id: "translator", name: "Translator", description: "Translate a text." });
index.add({ id: "papers", name: "Papers", description: "A translator of papers." });
const entries = index.entries.flatMap((entry) => (entry ? [{ entry, capabilityId: entry.document.id }] : []));

test.each([
  ["find bakeries with brave", "brave"],
  ["add a comment to the linear issue 4", "linear"],
  ["busca con brave panaderías", "brave"],
  ["a brave knight", undefined],
  ["fit a linear regression", undefined],
  ["read linear.txt with care", undefined],
  ['say "with brave"', undefined],
  ["do it with the translator", undefined],
])("%s: %s", (task, expected) => {
  expect(calledByName(task, entries)).toBe(expected);
});
