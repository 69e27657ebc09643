/** capstan sessions continue: another program answers from now on, after a person has read what is not carried over. */
import type { Compatibility, ContinueIn } from "@capstan/client";
import { fail } from "@capstan/core";
import type { Command, CommandContext } from "../command.ts";

const USAGE = "capstan sessions continue <id> --in <program> [--model <model>] [--yes]";

export async function continueSession(
  { server, options, print, terminal, json }: CommandContext,
  id: string,
): ReturnType<Command["run"]> {
  const program = options.in;
  if (typeof program !== "string")
    return fail("command_invalid", { message: "continue needs --in <program>", usage: USAGE });
  const model = typeof options.model === "string" ? options.model : undefined;
  const api = await server();
  const report = await api.sessions.compatibility(id, { in: program, model });
  if (!report.ok) return report;
  const { refusal, left_behind } = report.value;
  if (refusal)
    return fail("not_available", { what: `'${program}'`, why: refusal.message, nextStep: refusal.nextStep });
  if (!json) terminal.out(reportText(report.value));
  if (left_behind.length > 0 && options.yes !== true && !json) {
    const said = await terminal.ask(`Continue in ${program}? [y/N] `);
    if (!/^y(es)?$/i.test(said?.trim() ?? "")) return 1;
  }
  const continue_in = { harness: program, ...(model !== undefined && { model }) };
  const changed = await api.sessions.update(id, { continue_in });
  if (!changed.ok) return changed;
  const now = changed.value.continue_in;
  return print(
    changed.value,
    () => `From now on, ${now ? programText(now) : program} answers messages in this session.\n`,
  );
}

export const programText = ({ harness, model }: ContinueIn): string =>
  model ? `${harness} (${model})` : harness;

function reportText({ comes_along, left_behind }: Compatibility): string {
  const lines = (title: string, list: Compatibility["comes_along"]) =>
    list.length === 0 ? "" : `${title}\n${list.map(({ what, detail }) => `  ${what}: ${detail}\n`).join("")}`;
  return lines("Comes along:", comes_along) + lines("Does not:", left_behind);
}
