/** Faults of a document, each with its path, for people and for programs; and `readInput`, which finds them all at once. */
import type { z } from "zod";
import { plainWords } from "./fault-messages.ts";

export interface Fault {
  /** Where, such as `actions[0].parameters[2].name`; empty for the whole document. */
  readonly path: string;
  readonly message: string;
}

export type Read<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly where: string; readonly faults: readonly Fault[] };

/** Parses outside input by its schema: returns its value, or everything that is wrong with it. */
export function readInput<S extends z.ZodType>(schema: S, value: unknown): Read<z.output<S>> {
  const parsed = schema.safeParse(value, plainWords);
  return parsed.success
    ? { ok: true, value: parsed.data }
    : { ok: false, where: whatIsWrong(parsed.error), faults: faultsOf(parsed.error) };
}

/** On one line, for people and models: "b: missing, expected number; rights[0]: ...". */
const whatIsWrong = (error: Pick<z.ZodError, "issues">): string => faultsText(faultsOf(error));

export const faultsText = (faults: readonly Fault[]): string => faults.map(faultText).join("; ");

/** A message that is a predicate follows its subject: "base_url is required"; the document itself is "it". */
const PREDICATE = /^(is|has|must|may|contains|names|gives|cannot)\b/;

function faultText({ path, message }: Fault): string {
  if (PREDICATE.test(message)) return `${path === "" ? "it" : path} ${message}`;
  return path === "" ? message : `${path}: ${message}`;
}

const faultsOf = ({ issues }: Pick<z.ZodError, "issues">): Fault[] => issues.flatMap(issueFaults);

/** For a union, only the faults of the variant the author meant are reported. */
function issueFaults(issue: z.core.$ZodIssue): Fault[] {
  if (issue.code === "invalid_union") {
    const isOtherKind = (inner: z.core.$ZodIssue) => inner.path.length === 0 && inner.code === "invalid_type";
    const meant = likeliest(issue.errors.filter((errors) => !errors.some(isOtherKind)));
    if (meant?.length) {
      return meant.flatMap((inner) => issueFaults({ ...inner, path: [...issue.path, ...inner.path] }));
    }
    const kinds = issue.errors.flat().map(({ message }) => /expected (\w+)/.exec(plain(message))?.[1]);
    const named = [...new Set(kinds.filter((kind) => kind !== undefined))];
    if (named.length > 0) return [{ path: pathText(issue.path), message: `expected ${named.join(" or ")}` }];
  }
  return [{ path: pathText(issue.path), message: plain(issue.message) }];
}

type Issues = readonly z.core.$ZodIssue[];

/** A variant with a name that is nearly right, else the one with the fewest faults. */
const likeliest = (variants: readonly Issues[]): Issues | undefined =>
  variants.find((errors) => errors.some(({ message }) => /, did you mean |, use "/.test(message))) ??
  variants.toSorted((a, b) => a.length - b.length)[0];

const plain = (message: string): string =>
  message
    .replace(/^Invalid input: (expected .+), received undefined$/, "missing, $1")
    .replace(/^Invalid (?:input|option): /, "");

function pathText(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === "number") return `${text}[${part}]`;
    return text === "" ? String(part) : `${text}.${String(part)}`;
  }, "");
}
