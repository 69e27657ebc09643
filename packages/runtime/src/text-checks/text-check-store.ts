/** The saved checks on what models say, compiled. */
import { fail, ok, type Result } from "@capstan/core";
import type { CompiledCheck, TextCheck, TextEffect } from "@capstan/core/internal";
import { desc, eq } from "drizzle-orm";
import { uuidv7 } from "uuidv7";
import type { Database } from "../db/database.ts";
import { keptPolicies } from "../db/kept-policies.ts";
import { textChecks } from "../db/schema/text-check-tables.ts";
import { isUuid } from "../db/uuid.ts";
import { compileTextFind } from "./compile-text-check.ts";

export interface TextCheckRecord extends TextCheck {
  readonly createdBy: string;
  readonly createdAt: Date;
}
export type TextCheckDraft = Omit<TextCheck, "id">;

export interface TextCheckStore {
  /** Newest first. */
  list(): Promise<TextCheckRecord[]>;
  create(draft: TextCheckDraft, by: string): Promise<Result<TextCheckRecord>>;
  remove(id: string): Promise<Result<TextCheckRecord>>;
  /** The checks in effect for an agent. A change applies at once, also one by another process. */
  inForce(agentId: string, now: Date): Promise<readonly CompiledCheck[]>;
}

export function textCheckStore(database: Pick<Database, "orm" | "pool" | "policyChanges">): TextCheckStore {
  const { orm, policyChanges } = database;
  const list = async (): Promise<TextCheckRecord[]> =>
    (await orm.select().from(textChecks).orderBy(desc(textChecks.createdAt), desc(textChecks.id))).map(
      recordOf,
    );
  const current = keptPolicies(database, "text_checks", async () => (await list()).map(compiledCheck));
  return {
    list,
    async create(draft, by) {
      const find = compileTextFind(draft.find);
      if (!find.ok) return find;
      const { agentId = null, words = null, expiresAt = null, ...fields } = draft;
      const row = { id: uuidv7(), createdBy: by, ...fields, agentId, words, expiresAt };
      const [made] = await orm.insert(textChecks).values(row).returning();
      await policyChanges.announce();
      return ok(recordOf(made as Row));
    },
    async remove(id) {
      if (!isUuid(id)) return fail("not_found", { what: "text check", id });
      const [gone] = await orm.delete(textChecks).where(eq(textChecks.id, id)).returning();
      await policyChanges.announce();
      return gone ? ok(recordOf(gone)) : fail("not_found", { what: "text check", id });
    },
    async inForce(agentId, now) {
      return (await current.get()).filter(
        ({ check }) =>
          (check.agentId === undefined || check.agentId === agentId) &&
          (check.expiresAt === undefined || check.expiresAt > now),
      );
    },
  };
}

/** A stored check that no longer compiles blocks every line: a broken check must not let text pass. */
function compiledCheck(check: TextCheck): CompiledCheck {
  const find = compileTextFind(check.find);
  if (find.ok) return { check, find: find.value };
  return { check: { ...check, effect: "block" }, find: (line) => [[0, line.length]] };
}

type Row = typeof textChecks.$inferSelect;

const recordOf = ({ agentId, words, expiresAt, effect, ...row }: Row): TextCheckRecord => ({
  ...row,
  effect: effect as TextEffect, // only checks of this shape are written
  ...(agentId !== null && { agentId }),
  ...(words !== null && { words }),
  ...(expiresAt !== null && { expiresAt }),
});
