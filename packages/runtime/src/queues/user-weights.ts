/** The users' weights set by admins, in memory, because the queue reads them at every start. */
import type { Database } from "../db/database.ts";

export type WeightOf = (name: string) => number;

const MOST_WEIGHTS = 10_000;

/** After a change here or in another process, the next call starts reading them again and still returns the old weight. */
export async function openUserWeights(
  { pool, policyChanges }: Pick<Database, "pool" | "policyChanges">,
  onError: (error: unknown, what: string) => void,
): Promise<WeightOf> {
  let weights: ReadonlyMap<string, number> = new Map();
  let isStale = false;
  const read = async () => {
    isStale = false;
    const { rows } = await pool.query<{ email: string; weight: number }>(
      `select email, weight from users where weight <> 1 limit ${MOST_WEIGHTS}`,
    );
    weights = new Map(rows.map(({ email, weight }) => [email, weight]));
  };
  policyChanges.onChange(() => {
    isStale = true;
  });
  await read();
  return (user) => {
    if (isStale) read().catch((error) => onError(error, "reading users' weights"));
    return weights.get(user) ?? 1;
  };
}
