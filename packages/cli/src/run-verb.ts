/** The word after a command's name, as in `agents show helper`: which part of the command runs, and its required argument. */
import { fail } from "@capstan/core";
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
  if (!verb) {
    const message = `"${said}" is not known here; use one of ${names.join(", ")}`;
    return fail("command_invalid", { message, usage });
  }
  if (verb.needs !== undefined && subject === "")
    return fail("command_invalid", { message: `${said} needs ${verb.needs}`, usage });
  const taken = checkVerb(usage, said, context.args.slice(1), context.options);
  return taken.ok ? verb.run(context, subject) : taken;
}
