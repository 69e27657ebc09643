/** Rules from a YAML or JSON file: one rule, a list of them, or a file for `capstan apply`. */
import { readFile } from "node:fs/promises";
import { RuleCreate } from "@capstan/client/wire";
import { fail, ok, type Result } from "@capstan/core";
import { readInput } from "@capstan/core/internal";
import { parse } from "yaml";
import { z } from "zod";
import { isRulesFile } from "./rule-plan.ts";

const RulesFile = z.strictObject({ rules: z.array(RuleCreate).max(1_000) });

export async function rulesIn(file: string, usage: string): Promise<Result<RuleCreate[]>> {
  const text = await readFile(file, "utf8").catch(() => undefined);
  if (text === undefined) return fail("command_invalid", { message: `${file} cannot be read`, usage });
  const parsed = parsedFile(text);
  if (parsed === undefined) return fail("command_invalid", { message: `${file} is not YAML or JSON`, usage });
  const document = isRulesFile(parsed) ? parsed : { rules: [parsed].flat() };
  const read = readInput(RulesFile, document);
  return read.ok
    ? ok(read.value.rules)
    : fail("input_invalid", { where: `${file}: ${read.where}`, issues: read.faults });
}

function parsedFile(text: string): unknown {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}
