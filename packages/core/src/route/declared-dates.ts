/** A date as its parameter declares it: "Format: DD-MM-YYYY", "mm/dd/yyyy", "month-day-year". */
import type { JsonSchema } from "../schema.ts";

const FORM =
  /(?<![\p{L}\d])(yyyy|mm?|dd?|year|month|day)([-/.])(mm?|dd?|month|day)\2(yyy?y?|dd?|mm?|year|day|month)(?![\p{L}\d])/iu;
const PARTS: Readonly<Record<string, number>> = { y: 0, m: 1, d: 2 };

/** `date` is ISO; without a declared form it stays so. */
export function dateAs(date: string, { format, description }: JsonSchema): string {
  const day = date.slice(0, 10);
  if (format === "date") return day;
  const [, first = "", between = "", second = "", third = ""] = FORM.exec(String(description ?? "")) ?? [];
  const order = [first, second, third].map((part) => PARTS[part.charAt(0).toLowerCase()]);
  if (new Set(order).size !== PARTS_OF_A_DATE || order.includes(undefined) || order[0] === 0) return date;
  const parts = day.split("-");
  return order.map((at) => parts[at ?? 0]).join(between);
}

const PARTS_OF_A_DATE = 3;
