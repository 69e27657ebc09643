/** The word behind a command's name, as in `agents show helper`: which part of the command runs, and what it must be given. */
import { fail } from "@capstan/core";
import type { Command, CommandContext } from "./command.ts";

export interface Verb {
  /** What must stand behind it, in a person's words: "an agent's name or id". A verb without it stands alone. */
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
    const message = `"${said}" is unknown here; there is ${names.join(", ")}`;
    return fail("command_invalid", { message, usage });
  }
  if (verb.needs !== undefined && subject === "")
    return fail("command_invalid", { message: `${said} needs ${verb.needs}`, usage });
  return verb.run(context, subject);
}
