/** Shared by many requests and responses: generic objects, lists, pages and their queries. */
import { DATA_READS, DATA_WRITES } from "@capstan/core/internal";
import { z } from "zod";

/** What a tool's result brings in, and where its effects go. */
export const FLOW_SHAPE = {
  reads: z.array(z.enum(DATA_READS)).meta({ description: "What its result brings into the conversation." }),
  writes: z.array(z.enum(DATA_WRITES)).meta({ description: "Where its effects go; empty: it has none." }),
};

export const JsonObject = z.record(z.string(), z.unknown());
export type JsonObject = { [key: string]: unknown };

/** Any JSON value. Written out: generators of clients take a bare `unknown` for a field that may be absent. */
export const Json: z.ZodType<unknown> = z
  .union([z.string(), z.number(), z.boolean(), z.null(), z.array(z.unknown()), JsonObject])
  .meta({ id: "Json", description: "Any JSON value." });

export const ApprovalPolicyName = z.enum(["auto", "approve", "client", "deny"]);
export type ApprovalPolicyName = z.infer<typeof ApprovalPolicyName>;

export const NamedAgent = z.object({ id: z.string(), name: z.string() });
/** Agents that a change breaks; it is refused unless forced. */
export const BrokenAgents = z.array(NamedAgent.extend({ why: z.string() }));
export const WireFailure = z.object({ code: z.string(), message: z.string(), nextStep: z.string() });

export interface Items<T> {
  items: T[];
}

export interface Page<T> extends Items<T> {
  next_cursor?: string | undefined;
}

export const itemsOf = <Item extends z.ZodType>(item: Item) => z.object({ items: z.array(item) });
export const listOf = <Item extends z.ZodType>(item: Item) =>
  z.object({ items: z.array(item), total: z.int() });
export const pageOf = <Item extends z.ZodType>(item: Item) =>
  z.object({
    items: z.array(item),
    next_cursor: z
      .string()
      .optional()
      .meta({ description: "Pass back as `cursor` for the next page; absent on the last one." }),
  });

/** A page of a list that also says how long the whole list is. */
export const countedPageOf = <Item extends z.ZodType>(item: Item) => listOf(item).extend(pageOf(item).shape);

/** A number in a query string arrives as text: digits, and none of the other spellings that `Number` reads. */
export const queryNumber = <Schema extends z.ZodType<number, number>>(number: Schema) =>
  z.preprocess(
    (given: z.input<Schema>) => (/^-?\d+(\.\d+)?$/.test(String(given)) ? Number(given) : given),
    number,
  );
export const queryFlag = () => z.enum(["true", "false"]);

/** A numeric cursor; anything else is refused as an invalid cursor. */
export const numberCursor = () =>
  z.coerce
    .string<string | number>()
    .max(500)
    .optional()
    .meta({ description: "The `next_cursor` of the previous page." });

export const PageQuery = z.strictObject({
  limit: queryNumber(z.int().min(1).max(200)).default(50),
  cursor: z
    .string()
    .min(1)
    .max(500)
    .optional()
    .meta({ description: "The `next_cursor` of the previous page." }),
});
export interface PageQuery {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}

export const ForceQuery = z.strictObject({
  force: queryFlag().optional().meta({ description: "Do it although agents would break, and say which." }),
});

/** A user, who may not exist yet. Anything but an address is refused, because it could never match. */
export const UserAddress = z
  .string()
  .max(320)
  .regex(/^[^\s@]+@[^\s@]+$/, "must be an e-mail address, as users have it");

/** Text to search for, in the fields that the description names. */
export const queryText = (where: string) =>
  z
    .string()
    .max(200)
    .optional()
    .meta({ description: `Text in ${where}.` });

/** A list with nothing to filter by but text. */
export const textPageQuery = (where: string) => PageQuery.extend({ q: queryText(where) });
