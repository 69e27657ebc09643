/** JSON as the command line writes it: a document for people and programs, a line for streams. */
export const jsonDocument = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
export const jsonLine = (value: unknown): string => `${JSON.stringify(value)}\n`;
