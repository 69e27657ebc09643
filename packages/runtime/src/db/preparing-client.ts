/** A `pg.Client` that names its parameterised statements, so that Postgres plans each text once per connection. */
import pg from "pg";

const MOST_NAMES = 500; // statements are fixed texts; a text built per call would only fill the server's memory
const names = new Map<string, string>();

export class PreparingClient extends pg.Client {
  // biome-ignore lint/suspicious/noExplicitAny: pg overloads `query` eight ways; this passes every one of them on
  override query(query: any, values?: any, callback?: any): any {
    if (typeof query !== "string" || !Array.isArray(values) || values.length === 0) {
      return super.query(query, values, callback);
    }
    const name = names.get(query) ?? newName(query);
    return name === undefined
      ? super.query(query, values, callback)
      : super.query({ name, text: query, values } as never, callback);
  }
}

function newName(text: string): string | undefined {
  if (names.size >= MOST_NAMES) return undefined;
  const name = `q${names.size}`;
  names.set(text, name);
  return name;
}
