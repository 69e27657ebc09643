/** Whether all rules of a file can be added, before the first one is. */
import type { Api } from "@capstan/client";
import type { RuleCreate } from "@capstan/client/wire";
import { fail, ok, type Result } from "@capstan/core";

export async function checkNew(api: Api, file: string, rules: readonly RuleCreate[]): Promise<Result<null>> {
  if (rules.length === 0) return fail("input_invalid", { where: `${file}: no rules` });
  const saved = await api.rules.all();
  if (!saved.ok) return saved;
  const twice = rules.find(({ name }, at) => rules.findIndex((each) => each.name === name) !== at);
  if (twice) return fail("input_invalid", { where: `${file}: two rules are named "${twice.name}"` });
  for (const { name } of rules) {
    const same = saved.value.find((each) => each.name === name);
    if (same) return alreadySaved(file, name, same.id);
  }
  const tried = await api.rules.simulate({ rules: [...rules] });
  return tried.ok ? ok(null) : tried;
}

const alreadySaved = (file: string, name: string, id: string) =>
  fail("conflict", {
    message: `${file}: there is already a rule named "${name}" (${id}). No rule was added.`,
    nextStep: `Rename it, remove the other with \`capstan rules remove ${id}\`, or use \`capstan apply\`, which changes rules by name.`,
  });
