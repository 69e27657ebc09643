/** A `pg.Client` with unnamed statements, for a pooler in transaction mode: the next statement may reach another session. */
import pg from "pg";

export class UnnamedClient extends pg.Client {
  // biome-ignore lint/suspicious/noExplicitAny: pg overloads `query` eight ways; this passes every one of them on
  override query(query: any, ...rest: any[]): any {
    if (typeof query !== "object" || query === null || typeof query.name !== "string")
      return super.query(query, ...rest);
    const { name: _, ...unnamed } = query;
    return super.query(unnamed, ...rest);
  }
}
