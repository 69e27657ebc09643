/** Rules from a YAML or JSON file: one rule, a list of them, or a file for `capstan apply`. */
import { readFile } from "node:fs/promises";
import { RuleCreate } from "@capstan/client/wire";
import { fail, ok, type Result } from "@capstan/core";
import { parse } from "yaml";
import { requestBody } from "../request-body.ts";
import { isRulesFile } from "./rule-plan.ts";

export async function rulesIn(file: string, usage: string): Promise<Result<RuleCreate[]>> {
  const text = await readFile(file, "utf8").catch(() => undefined);
  if (text === undefined) return fail("command_invalid", { message: `${file} cannot be read`, usage });
  const found: RuleCreate[] = [];
  const parsed = parsedFile(text);
  if (parsed === undefined) return fail("command_invalid", { message: `${file} is not YAML or JSON`, usage });
  for (const value of isRulesFile(parsed) ? Object(parsed).rules : [parsed].flat()) {
    const body = requestBody(RuleCreate, Object(value), usage);
    if (!body.ok) return body;
    found.push(body.value);
  }
  return ok(found);
}

function parsedFile(text: string): unknown {
  try {
    return parse(text);
  } catch {
    return undefined;
  }
}
