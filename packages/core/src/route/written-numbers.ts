/**
 * Numbers in digits as people of several languages write them: "1,000.5", "2,5", "1.250,50". A comma is a decimal comma where it cannot
 * separate thousands, and everywhere in a task of a language that writes it so.
 */
const COMMA_WORDS =
  /(?<![\p{L}])(?:der|die|das|den|dem|ein|eine|einen|einer|und|für|von|mit|auf|ins|bei|wie|el|los|las|una|con|por|del|le|les|une|et|pour|avec|du|des|os|uma|com|do|da|no|na|para|en|de|um|à|às|um|schick\p{L}*|buche|trage|rechne|convierte|cuánto|combien|quanto)(?![\p{L}])/giu;
const POINT_WORDS = /(?<![\p{L}])(?:the|of|and|to|for|with|from|is|are|what|how|my|by|into)(?![\p{L}])/giu;

export const writesDecimalComma = (task: string): boolean =>
  (task.match(COMMA_WORDS)?.length ?? 0) > (task.match(POINT_WORDS)?.length ?? 0);

const DIGITS =
  /(?<![\w.^]|\d,)[-+]?\d+(?:[.,]\d+)*(?:[eE][-+]?\d+)?(?=(?:[KJWVLmgsh]|[kcm]m|k?g|mg|m[ls]|[kM]?Hz|[kMGT]?i?B|kWh?|px|min|sec|kbps|kbit|ft|lbs?|oz|mph|km\/h|bpm|fps|dpi)(?:\/\w+)?\b|(?![\w.]*\w))/g;

export interface WrittenNumber {
  /** As a program writes it; leading zeros of a plain number are kept. */
  readonly text: string;
  readonly at: number;
  readonly end: number;
}

export function writtenNumbers(task: string): WrittenNumber[] {
  const comma = writesDecimalComma(task);
  return [...task.matchAll(DIGITS)].flatMap((match) => {
    const text = canonical(match[0], comma);
    if (text !== undefined) return [{ text, at: match.index, end: match.index + match[0].length }];
    return /^[\d,]+$/.test(match[0]) ? listed(match[0], match.index) : [];
  });
}

function canonical(written: string, comma: boolean): string | undefined {
  if (!/[.,]/.test(written)) return written;
  if (
    /^[-+]?\d{1,3}(?:\.\d{3})+,\d+$/.test(written) ||
    (comma && /^[-+]?[1-9]\d{0,2}(?:\.\d{3})+$/.test(written))
  )
    return written.replaceAll(".", "").replace(",", ".");
  if (!comma && /^[-+]?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?$/.test(written)) return written.replaceAll(",", "");
  if (/^[-+]?\d{1,3}(?:,\d{3}){2,}(?:\.\d+)?$|^[-+]?\d{1,3}(?:,\d{3})+\.\d+$/.test(written))
    return written.replaceAll(",", "");
  if (/^[-+]?\d+,\d+$/.test(written)) return written.replace(",", ".");
  return /^[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?$/i.test(written) ? written : undefined;
}

/** "1,2,3" without spaces are three numbers. */
const listed = (written: string, from: number): WrittenNumber[] =>
  [...written.matchAll(/\d+/g)].map((match) => ({
    text: match[0],
    at: from + match.index,
    end: from + match.index + match[0].length,
  }));
