/** The table of authority as docs/security.md shows it, written from core's data: `node tools/authority-table.ts`. */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { ACTORS, cellOf, KEY_RULES, THINGS } from "../packages/core/src/authority/authority.ts";

const PAGE = fileURLToPath(new URL("../docs/security.md", import.meta.url));
const BEGIN = "<!-- the table, written by tools/authority-table.ts -->";
const END = "<!-- end of the table -->";

export function authorityTable(): string {
  const keys = ACTORS.filter((actor) => actor.endsWith(" key"));
  const programs = ACTORS.filter((actor) => !actor.endsWith(" key"));
  const head = ["thing", "whose", ...keys, ...programs.filter((actor) => actor !== "nobody")];
  const rows = THINGS.map((thing) => [
    thing,
    thing === "agent" ? "change own" : KEY_RULES[thing].whose,
    ...head.slice(2).map((actor) => {
      const { may } = cellOf(actor as (typeof ACTORS)[number], thing);
      return may.length === 0 ? "–" : may.join(", ");
    }),
  ]);
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const notes = programs.flatMap((actor) =>
    THINGS.flatMap((thing) => {
      const { how } = cellOf(actor, thing);
      return how === "" ? [] : [`- ${actor}, ${thing}: ${how}.`];
    }),
  );
  return [line(head), line(head.map(() => "---")), ...rows.map(line), "", ...notes].join("\n");
}

export function withTable(page: string): string {
  const [before, rest] = page.split(BEGIN);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined) throw new Error("docs/security.md has lost its marks");
  return `${before}${BEGIN}\n${authorityTable()}\n${END}${after}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(PAGE, withTable(readFileSync(PAGE, "utf8")));
}
