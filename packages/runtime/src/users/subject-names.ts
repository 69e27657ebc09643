/** Names for the ids in the audit log: agents, sessions, approvals (their tool), keys, tokens. */
import type { Database } from "../db/database.ts";
import { isUuid } from "../db/uuid.ts";

const NAMES = ["agents:name", "sessions:title", "approvals:tool", "api_keys:name", "tokens:name"]
  .map((each) => each.split(":"))
  .map(
    ([table, column]) => `select id::text as id, ${column} as name from ${table} where id = any($1::uuid[])`,
  )
  .join(" union all ");

/** `agent:<id>` stands for the agent; anything but an id, such as a package's name, names itself. */
const idIn = (subject: string): string => subject.split(":").at(-1) ?? subject;

/** By subject; deleted ones, and those that name themselves, have no entry. */
export async function subjectNames(
  { reader }: Pick<Database, "reader">,
  subjects: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const ids = [...new Set(subjects.map(idIn).filter(isUuid))];
  if (ids.length === 0) return new Map();
  const { rows } = await reader.query<{ id: string; name: string }>(NAMES, [ids]);
  const names = new Map(rows.map(({ id, name }) => [id, name]));
  return new Map(
    subjects.flatMap((subject) => {
      const name = names.get(idIn(subject));
      return name ? [[subject, name] as const] : [];
    }),
  );
}
