import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readAgentFiles } from "./read-agent-files.ts";

test.each([
  ["agent.json", '{"name": "A", "model": "x/a", "model": "x/b"}', '"model" is given twice'],
  ["agent.yaml", "name: A\nmodel: x/a\nmodel: x/b\n", "Map keys must be unique"],
  ["agent.json", '{"name": "A", "__proto__": {"harness": "x"}}', '"__proto__" is not allowed'],
  ["agent.yaml", "name: A\n__proto__:\n  harness: x\n", '"__proto__"'],
  ["agent.yaml", "name: A\nsystem_promt: x\n", 'unknown field "system_promt", did you mean "system_prompt"?'],
])("%s with %j is refused as a whole", async (name, text, why) => {
  const folder = mkdtempSync(join(tmpdir(), "capstan-agent-files-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, name), text);
  const read = await readAgentFiles(folder);
  expect(read.ok ? "" : read.failure.message).toContain(why);
});
