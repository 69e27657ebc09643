/** capstan audit: who changed what, and whether the log is intact. */
import { AuditQuery, AuditVerificationQuery } from "@capstan/client/wire";
import type { Command, CommandContext } from "../command.ts";
import { printList } from "../print-table.ts";
import { requestBody } from "../request-body.ts";
import { runVerb } from "../run-verb.ts";

export const audit: Command = {
  usage:
    "capstan audit [list | verify] [--actor email] [--action agent.updated] [--subject id] [--text words] [--limit 100] [--cursor next] [--expect hash]",
  summary: "Lists the audit log, or verifies that no row was changed or removed. Requires an admin's key.",
  options: {
    actor: { type: "string" },
    action: { type: "string" },
    subject: { type: "string" },
    text: { type: "string" },
    limit: { type: "string" },
    cursor: { type: "string" },
    expect: { type: "string" },
  },
  run: (context) => runVerb(context, audit.usage, { list: { run: list }, verify: { run: verify } }),
};

async function list({ server, print, terminal, options }: CommandContext) {
  const { text: q, actor, action, subject, limit, cursor } = options;
  const query = requestBody(AuditQuery, { q, actor, action, subject, limit, cursor }, audit.usage);
  if (!query.ok) return query;
  const answer = await (await server()).server.audit(query.value);
  if (!answer.ok) return answer;
  const rows = answer.value.items.map(({ id, created_at, actor, action, subject, subject_name }) => [
    String(id),
    created_at,
    actor,
    action,
    subject_name === null ? subject : `${subject_name} (${subject})`,
  ]);
  const head = ["ID", "AT", "WHO", "WHAT", "ON"];
  const { next_cursor } = answer.value;
  const more = next_cursor === undefined ? "" : `More: capstan audit --cursor ${next_cursor}\n`;
  return print(
    answer.value,
    () => `${printList(head, rows, terminal.columns, "No matching entries.")}${more}`,
  );
}

/** Exits with 1 when the log is not intact, so that a script can tell. */
async function verify({ server, print, options }: CommandContext) {
  const query = requestBody(AuditVerificationQuery, { expect: options.expect }, audit.usage);
  if (!query.ok) return query;
  const answer = await (await server()).server.verifyAudit(query.value);
  if (!answer.ok) return answer;
  const { intact, checked, unchained, head, broken } = answer.value;
  const older = unchained > 0 ? `${unchained} older rows were written before the chain existed.\n` : "";
  print(
    answer.value,
    intact
      ? `The audit log is intact: ${checked} rows match their chain, the last hash is ${head || "none"}.\n${older}`
      : `${broken?.id ? `Row ${broken.id} does not match` : "The audit log is not intact"}: ${broken?.why}. ${checked} rows match.\n`,
  );
  return intact ? 0 : 1;
}
