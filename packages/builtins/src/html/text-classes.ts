/** Character classes for the writer, as tables: one lookup per character. */

export const PLAIN = 0;
export const SPACE = 1;
export const SPECIAL = 2;

const WHITESPACE = "\t\n\f\r ";

const table = (special: string, whitespace = WHITESPACE): Uint8Array => {
  const classes = new Uint8Array(256);
  for (const char of whitespace) classes[char.charCodeAt(0)] = SPACE;
  for (const char of special) classes[char.charCodeAt(0)] = SPECIAL;
  return classes;
};

/** In Markdown these may start an emphasis, code, a link, HTML or an entity. A no-break space counts as a space. */
export const MARKDOWN_CLASSES = table("&\\*_`[]<~", `${WHITESPACE}\u00a0`);
/** In code and in plain text, only entities are special. */
export const LITERAL_CLASSES = table("&", `${WHITESPACE}\u00a0`);
