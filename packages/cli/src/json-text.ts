/** JSON of the command line: as output, a document for people and programs or a line for streams; as input, without doubt. */
import { unclearKey } from "@capstan/core/internal";

export const jsonDocument = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
export const jsonLine = (value: unknown): string => `${JSON.stringify(value)}\n`;

/** Throws also for a text with a key that is given twice: which of the two was meant, nobody knows. */
export function parseClearJson(text: string): unknown {
  const unclear = unclearKey(text);
  if (unclear !== undefined) throw new Error(unclear);
  return JSON.parse(text);
}
