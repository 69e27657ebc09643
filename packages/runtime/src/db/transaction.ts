/** Runs `work` in a transaction; an exception and a refusal (a failed `Result`) roll it back. */
import type pg from "pg";

export async function inTransaction<T>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query("begin");
    const result = await work(client);
    await client.query(isRefused(result) ? "rollback" : "commit");
    return result;
  } catch (error) {
    await client.query("rollback").catch(() => {});
    throw error;
  } finally {
    client.release();
  }
}

const isRefused = (result: unknown): boolean =>
  typeof result === "object" && result !== null && "ok" in result && result.ok === false;
