/** Claims that make someone an admin: `claim=value,claim=value`, or a JSON list of these for values with commas. */
import { z } from "zod";

export interface AdminClaim {
  readonly claim: string;
  readonly value: string;
}

const FORM = "must have the form claim=value,claim=value";
/** `memberOf=CN=Admins,OU=Groups` would make everyone with `OU=Groups` an admin, and nobody that it means. */
const AMBIGUOUS =
  'has a value with "=" beside a comma: give a JSON list, such as ["memberOf=CN=Admins,OU=Groups"]';

export const adminClaims = z.string().transform((text, context): AdminClaim[] => {
  const isJson = text.trim().startsWith("[");
  const entries = isJson ? jsonList(text) : commaList(text);
  const read = entries?.map(claimOf);
  const isAmbiguous = !isJson && read && read.length > 1 && read.some((each) => each?.value.includes("="));
  if (read !== undefined && !isAmbiguous && read.every((each) => each !== undefined)) return read;
  context.addIssue({ code: "custom", message: isAmbiguous ? AMBIGUOUS : FORM });
  return z.NEVER;
});

function jsonList(text: string): string[] | undefined {
  try {
    return z.array(z.string()).safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

const commaList = (text: string): string[] =>
  text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== "");

function claimOf(entry: string): AdminClaim | undefined {
  const [, claim, value] = /^([^=\s]+)=(.+)$/.exec(entry) ?? [];
  return claim !== undefined && value !== undefined ? { claim, value } : undefined;
}
