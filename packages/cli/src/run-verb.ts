/** The word after a command's name, as in `agents show helper`: which part of the command runs, and its required argument. */
import { fail } from "@capstan/core";
import { nearest } from "@capstan/core/internal";
import type { Command, CommandContext } from "./command.ts";
import { checkVerb } from "./verb-usage.ts";

export interface Verb {
  /** Its required argument, for people: "an agent's name or id". Absent: none. */
  readonly needs?: string;
  run(context: CommandContext, subject: string): ReturnType<Command["run"]>;
}

/** Without a verb the first of the table runs. */
export async function runVerb(
  context: CommandContext,
  usage: string,
  verbs: Readonly<Record<string, Verb>>,
): ReturnType<Command["run"]> {
  const names = Object.keys(verbs);
  const [said = names[0] ?? "", subject = ""] = context.args;
  const verb = Object.hasOwn(verbs, said) ? verbs[said] : undefined;
  if (!verb) return fail("command_invalid", { message: unknownVerb(said, names), usage });
  if (verb.needs !== undefined && subject === "")
    return fail("command_invalid", { message: `${said} needs ${verb.needs}`, usage });
  const taken = checkVerb(usage, said, context.args.slice(1), context.options);
  return taken.ok ? verb.run(context, subject) : taken;
}

/** "Did you mean" for the word after a command's name; all of its words when none is near. */
export function unknownVerb(said: string, names: readonly string[]): string {
  const near = nearest(said, names).map((name) => `"${name}"`);
  const hint = near.length > 0 ? `did you mean ${near.join(" or ")}?` : `use one of ${names.join(", ")}`;
  return `"${said}" is not known here; ${hint}`;
}
