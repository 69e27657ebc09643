/** capstan audit: who changed what, and whether the log is intact. */
import type { Command, CommandContext } from "../command.ts";
import { printList } from "../print-table.ts";
import { runVerb } from "../run-verb.ts";

export const audit: Command = {
  usage: "capstan audit [list | verify]",
  summary: "Lists the audit log, or verifies that no row was changed or removed. Requires an admin's key.",
  options: {},
  run: (context) => runVerb(context, audit.usage, { list: { run: list }, verify: { run: verify } }),
};

async function list({ server, print, terminal }: CommandContext) {
  const answer = await (await server()).server.audit();
  if (!answer.ok) return answer;
  const rows = answer.value.items.map(({ id, created_at, actor, action, subject, subject_name }) => [
    String(id),
    created_at,
    actor,
    action,
    subject_name === null ? subject : `${subject_name} (${subject})`,
  ]);
  const head = ["ID", "AT", "WHO", "WHAT", "ON"];
  return print(answer.value, () => printList(head, rows, terminal.columns, "No changes yet."));
}

/** Exits with 1 when the log is not intact, so that a script can tell. */
async function verify({ server, print }: CommandContext) {
  const answer = await (await server()).server.verifyAudit();
  if (!answer.ok) return answer;
  const { intact, checked, unchained, head, broken } = answer.value;
  const older = unchained > 0 ? `${unchained} older rows were written before the chain existed.\n` : "";
  print(
    answer.value,
    intact
      ? `The audit log is intact: ${checked} rows match their chain, the last hash is ${head || "none"}.\n${older}`
      : `Row ${broken?.id} does not match: ${broken?.why}. ${checked} rows before it do.\n`,
  );
  return intact ? 0 : 1;
}
