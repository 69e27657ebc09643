/** A number in an environment variable. Whatever is wrong with it, the same sentence says what it may be and what it is. */
import { z } from "zod";

const MAX_SHOWN_CHARS = 40;

interface Range {
  readonly whole?: boolean;
  readonly min?: number;
  /** Instead of `min`, where the bound itself is not allowed. */
  readonly above?: number;
  readonly max?: number;
}

export const numberSetting = (range: Range) =>
  z.string().transform((text, context) => {
    const value = Number(text);
    if (isWithin(value, range)) return value;
    context.addIssue({
      code: "custom",
      message: `must be ${rangeText(value, range)}, not ${shortened(text)}`,
    });
    return z.NEVER;
  });

function isWithin(value: number, { whole = false, min = -Infinity, above = -Infinity, max }: Range): boolean {
  if (!Number.isFinite(value) || (whole && !Number.isSafeInteger(value))) return false;
  return value >= min && value > above && value <= (max ?? Infinity);
}

function rangeText(value: number, { whole = false, min, above, max }: Range): string {
  const noun = whole && Number.isFinite(value) && !Number.isInteger(value) ? "a whole number" : "a number";
  if (min !== undefined && max !== undefined) return `${noun} from ${min} to ${max}`;
  const bounds = [
    ...(min === undefined ? [] : [`of at least ${min}`]),
    ...(above === undefined ? [] : [`above ${above}`]),
    ...(max === undefined ? [] : [`up to ${max}`]),
  ];
  return [noun, ...bounds].join(" ");
}

const shortened = (text: string): string =>
  text.length > MAX_SHOWN_CHARS ? `${text.slice(0, MAX_SHOWN_CHARS)}…` : text;
