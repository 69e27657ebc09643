/** The weights that admins gave to users, in memory: the line asks for them at every start. */
import type { Database } from "../db/database.ts";
import type { WeightOf } from "./run-places.ts";

const MOST_WEIGHTS = 10_000;

/** A change counts at once here, and in other processes as soon as they are told. */
export async function openUserWeights(
  { pool, policyChanges }: Pick<Database, "pool" | "policyChanges">,
  onError: (error: unknown, what: string) => void,
): Promise<WeightOf> {
  let weights: ReadonlyMap<string, number> = new Map();
  const read = async () => {
    const { rows } = await pool.query<{ email: string; weight: number }>(
      `select email, weight from users where weight <> 1 limit ${MOST_WEIGHTS}`,
    );
    weights = new Map(rows.map(({ email, weight }) => [email, weight]));
  };
  policyChanges.onChange(() => {
    read().catch((error) => onError(error, "reading users' weights"));
  });
  await read();
  return (user) => weights.get(user) ?? 1;
}
