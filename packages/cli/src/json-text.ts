/** JSON that the command line prints: a document for people and programs, or a line for streams. */
export const jsonDocument = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
export const jsonLine = (value: unknown): string => `${JSON.stringify(value)}\n`;
