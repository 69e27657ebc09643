/** How many files a session keeps in the database; folders do not count. */
import type { Database } from "../db/database.ts";

const COUNT = "select count(*)::int as count from session_files where session_id = $1 and not is_directory";

export async function countFiles(pool: Database["pool"], sessionId: string): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(COUNT, [sessionId]);
  return rows[0]?.count ?? 0;
}
