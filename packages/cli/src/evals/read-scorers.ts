/** What `--scorer` means: a name, `name=value`, JSON, or a file with a list of scorers. */
import { readFile } from "node:fs/promises";
import { ScorerSpec } from "@capstan/client/wire";
import { fail, ok, type Result } from "@capstan/core";
import { faultsText, parseClearJson, readInput } from "@capstan/core/internal";
import { parse } from "yaml";

/** The field that a single value goes into. */
const FIELDS: Readonly<Record<string, string>> = {
  exact: "value",
  cost: "most_usd",
  time: "most_ms",
  judge: "prompt",
  human: "question",
  code: "scorer",
  json: "path",
};
const NUMBERS: ReadonlySet<string> = new Set(["cost", "time"]);

export async function scorersOf(given: readonly string[], usage: string): Promise<Result<ScorerSpec[]>> {
  const all: ScorerSpec[] = [];
  for (const text of given) {
    const values = await valuesIn(text).catch((error: unknown) => String(error));
    if (typeof values === "string")
      return fail("command_invalid", { message: `--scorer ${text}: ${values}`, usage });
    for (const value of values) {
      const read = readInput(ScorerSpec, value);
      if (!read.ok)
        return fail("command_invalid", { message: `--scorer ${text}: ${faultsText(read.faults)}`, usage });
      all.push(read.value);
    }
  }
  return ok(all);
}

async function valuesIn(text: string): Promise<unknown[] | string> {
  if (text.startsWith("{")) return [parseClearJson(text)];
  if (/\.(ya?ml|json)$/.test(text)) {
    const value: unknown = parse(await readFile(text, "utf8"));
    return Array.isArray(value) ? value : [value];
  }
  const at = text.indexOf("=");
  if (at < 0) return [{ type: text }];
  const [type, value] = [text.slice(0, at), text.slice(at + 1)];
  if (type === "contains") return [{ type, all: [value] }];
  const field = FIELDS[type];
  if (field === undefined) return "write it as JSON";
  return [{ type, [field]: NUMBERS.has(type) ? Number(value) : value }];
}
