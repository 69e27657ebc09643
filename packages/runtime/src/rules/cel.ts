/** CEL expressions of rules: parsed and checked once, bounded, without the functions that can run forever. */
import type { CompileExpression, RuleCall } from "@capstan/core/internal";
import { Environment } from "@marcbachmann/cel-js";

const MAX_CHARS = 500;
const MACRO = /\.(?:all|exists|exists_one|map|filter)\s*\(/g;

let environment: Environment | undefined;
const open = (): Environment =>
  (environment ??= new Environment({
    limits: { maxAstNodes: 200, maxDepth: 20, maxListElements: 100, maxMapEntries: 50, maxCallArguments: 8 },
  })
    .registerVariable("args", "map")
    .registerVariable("user", "string")
    .registerVariable("agent", "string")
    .registerVariable("tool", "string")
    .registerVariable("seen", "list<string>")
    .registerVariable("now", "google.protobuf.Timestamp"));

export const compileCel: CompileExpression = (text) => {
  if (text.length > MAX_CHARS) throw new Error(`longer than ${MAX_CHARS} characters`);
  if (/\bmatches\s*\(/.test(text))
    throw new Error("matches() can take forever on some texts; use startsWith, endsWith or contains");
  if ((text.match(MACRO) ?? []).length > 1)
    throw new Error(
      "only one of all(), exists(), map() and filter() may be used: nested ones can take forever",
    );
  const parsed = parse(text);
  return (call) => {
    const result: unknown = parsed(factsOf(call));
    if (typeof result !== "boolean") throw new Error("it does not answer true or false");
    return result;
  };
};

function parse(text: string) {
  const parsed = withPlainErrors(() => open().parse(text));
  const { valid, type, error } = parsed.check();
  if (!valid) throw new Error(firstLine(error));
  if (type !== "bool" && type !== "dyn") throw new Error(`it gives ${type}, not true or false`);
  return parsed;
}

const factsOf = ({ args, user, agentId, tool, seen, now }: RuleCall) => ({
  args: typeof args === "object" && args !== null ? args : {},
  user,
  agent: agentId,
  tool,
  seen: [...seen],
  now,
});

function withPlainErrors<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    throw new Error(firstLine(error));
  }
}

const firstLine = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).split("\n", 1)[0] ?? "";
