/**
 * The arguments of a call, one entry each; never joined into a shell string.
 * A value that starts with `-` cannot become an option: options get it as `--x=-1`, positionals come after `--`.
 */
import { fail, ok, type Result } from "@capstan/core";
import type { Parameter } from "@capstan/core/internal";
import type { ActionInput, ManifestTool } from "./manifest-tools.ts";

const MAX_VECTOR_CHARS = 1_000_000; // half of Linux's usual 2 MiB for arguments and environment

export function argumentVector(tool: ManifestTool, input: ActionInput): Result<string[]> {
  const given = tool.parameters.filter(
    ({ flag, key }) => flag !== undefined && values(input[key]).length > 0,
  );
  const options = given.flatMap((each) => optionWords(each, input[each.key]));
  const positionals = positionalWords(tool, input);
  if (!positionals.ok) return positionals;
  // An option that takes several values would take the positionals behind it as well.
  const isOpen = !tool.asksForJson && positionals.value.length > 0 && given.at(-1)?.repeatable === true;
  const needsGuard = isOpen || positionals.value.some((word) => word.startsWith("-"));
  const vector = [
    ...tool.subcommand,
    ...options,
    ...(tool.asksForJson ? ["--json"] : []),
    ...(needsGuard ? ["--"] : []),
    ...positionals.value,
  ];
  if (vector.some((word) => word.includes("\0"))) return refuse(tool, "an argument contains a NUL character");
  if (vector.reduce((sum, word) => sum + word.length, 0) > MAX_VECTOR_CHARS) {
    return refuse(tool, `the arguments are longer than ${MAX_VECTOR_CHARS} characters in total`);
  }
  return ok(vector);
}

function optionWords({ flag = "" }: Parameter, value: unknown): string[] {
  return values(value).flatMap((each) => {
    if (each === false) return [];
    if (each === true) return [flag];
    const word = String(each);
    if (!word.startsWith("-") && word !== "") return [flag, word];
    return flag.startsWith("--") ? [`${flag}=${word}`] : [`${flag}${word}`];
  });
}

/** Positionals are identified by position, so none may be given after one that is left out. */
function positionalWords(tool: ManifestTool, input: ActionInput): Result<string[]> {
  const words: string[] = [];
  let leftOut: string | undefined;
  for (const { key, flag, stdin } of tool.parameters) {
    if (flag !== undefined || stdin) continue;
    const given = values(input[key]);
    if (given.length === 0) leftOut ??= key;
    else if (leftOut) return refuse(tool, `"${key}" is given but "${leftOut}", which precedes it, is not`);
    words.push(...given.map(String));
  }
  return ok(words);
}

/** What the call puts on standard input; undefined when its action has no such parameter or the caller gave nothing. */
export function standardInput({ parameters }: ManifestTool, input: ActionInput): string | undefined {
  const given = parameters.filter(({ stdin }) => stdin).flatMap(({ key }) => values(input[key]));
  return given.length > 0 ? given.map(String).join("\n") : undefined;
}

function values(value: unknown): unknown[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : [value];
}

const refuse = (tool: ManifestTool, where: string) => fail("tool_input_invalid", { tool: tool.name, where });
