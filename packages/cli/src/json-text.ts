/** JSON output of the command line: a document for people and programs, a line for streams. */
export const jsonDocument = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
export const jsonLine = (value: unknown): string => `${JSON.stringify(value)}\n`;
