/**
 * Keys that make JSON ambiguous: duplicates, of which `JSON.parse` keeps the last, and keys that change an object's
 * prototype when copied. One pass over the text, with one set per level.
 */

/** Also throws for a text with such a key, because it is ambiguous. */
export function parseClearJson(text: string): unknown {
  const unclear = unclearKey(text);
  if (unclear !== undefined) throw new Error(unclear);
  return JSON.parse(text);
}

/** The first such key, as a sentence; undefined for unambiguous text and for text that is not JSON. */
export function unclearKey(text: string): string | undefined {
  const places = new Places();
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code !== QUOTE) {
      places.take(code);
      continue;
    }
    const end = endOfJsonString(text, at);
    const fault = places.awaitsKey ? places.takeKey(keyIn(text, at, end)) : undefined;
    if (fault !== undefined) return fault;
    at = end;
  }
  return undefined;
}

interface Level {
  isObject: boolean;
  /** The next string is a key. */
  awaitsKey: boolean;
  /** The key, or the place in a list, whose value is being read. */
  at: string | number;
  readonly keys: Set<string>;
}

/** The position in the text. Levels are reused: a list of a million objects costs one set. */
class Places {
  readonly #levels: Level[] = [];
  #depth = 0;

  get awaitsKey(): boolean {
    return this.#level?.awaitsKey === true;
  }

  get #level(): Level | undefined {
    return this.#levels[this.#depth - 1];
  }

  take(code: number): void {
    if (code === OPEN_OBJECT || code === OPEN_LIST) this.#open(code === OPEN_OBJECT);
    else if (code === CLOSE_OBJECT || code === CLOSE_LIST) this.#depth = Math.max(0, this.#depth - 1);
    else if (code === COMMA) this.#next();
  }

  takeKey(key: string): string | undefined {
    const level = this.#level;
    if (!level) return undefined;
    level.awaitsKey = false;
    level.at = key;
    if (level.keys.has(key)) return `"${this.#path()}" is given twice`;
    level.keys.add(key);
    const isInConstructor = this.#levels[this.#depth - 2]?.at === "constructor";
    const isPrototype = key === "__proto__" || (key === "prototype" && isInConstructor);
    return isPrototype ? `"${this.#path()}" is not allowed as a key` : undefined;
  }

  #open(isObject: boolean): void {
    this.#levels[this.#depth] ??= { isObject, awaitsKey: isObject, at: 0, keys: new Set() };
    this.#depth++;
    const level = this.#level;
    if (!level) return;
    level.isObject = isObject;
    level.awaitsKey = isObject;
    level.at = 0;
    level.keys.clear();
  }

  #next(): void {
    const level = this.#level;
    if (level?.isObject) level.awaitsKey = true;
    else if (typeof level?.at === "number") level.at++;
  }

  #path(): string {
    return this.#levels
      .slice(0, this.#depth)
      .map(({ at }) => at)
      .join(".");
  }
}

function keyIn(text: string, start: number, end: number): string {
  const key = text.slice(start + 1, end);
  if (!key.includes("\\")) return key;
  try {
    return JSON.parse(text.slice(start, end + 1));
  } catch {
    return key; // the text is not JSON, which is reported when it is parsed
  }
}

const QUOTE = 34;
const COMMA = 44;
const BACKSLASH = 92;
const OPEN_LIST = 91;
const CLOSE_LIST = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;

/** Where the string that starts here ends; an unterminated one ends with the text. */
export function endOfJsonString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === BACKSLASH) at++;
    else if (code === QUOTE) return at;
  }
  return text.length;
}
