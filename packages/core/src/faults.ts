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

function issueFaults(issue: z.core.$ZodIssue): Fault[] {
  const path = pathText(issue.path);
  if (issue.code !== "invalid_union" || issue.errors.length === 0)
    return [{ path, message: plain(issue.message) }];
  const isOtherKind = ({ path: at, code }: z.core.$ZodIssue) =>
    at.length === 0 && (code === "invalid_type" || code === "invalid_value");
  const meant = likeliest(issue.errors.filter((errors) => !errors.some(isOtherKind)));
  if (meant.length === 0) return [{ path, message: expectedKind(issue) }];
  if (meant.length > 1) return [{ path, message: expectedNames(meant) }];
  return meant.flat().flatMap((inner) => issueFaults({ ...inner, path: [...issue.path, ...inner.path] }));
}

type Issues = readonly z.core.$ZodIssue[];

/**
 * The variants of a union that the author may have meant: those that know the most of the given names, among them one
 * with a name that is nearly right, else the one with the fewest faults; several where none says more than "missing".
 */
function likeliest(variants: readonly Issues[]): readonly Issues[] {
  const fewest = Math.min(...variants.map((errors) => unknownNames(errors).length));
  const known = variants.filter((errors) => unknownNames(errors).length === fewest);
  const near = known.find((errors) => errors.some(({ message }) => /, did you mean |, use "/.test(message)));
  if (near) return [near];
  const isEmpty = (errors: Issues) => missingNames(errors).length + Math.min(fewest, 1) === errors.length;
  if (known.length > 1 && known.every(isEmpty)) return known;
  return known.toSorted((a, b) => a.length - b.length).slice(0, 1);
}

const unknownNames = (errors: Issues): string[] =>
  errors.flatMap((inner) =>
    inner.code === "unrecognized_keys" && inner.path.length === 0 ? inner.keys : [],
  );

const missingNames = (errors: Issues): string[] =>
  errors
    .filter(({ path, message }) => path.length === 1 && plain(message).startsWith("missing, "))
    .map(({ path }) => `"${String(path[0])}"`);

/** None of the variants' names is given: says which there are. */
function expectedNames(variants: readonly Issues[]): string {
  const unknown = unknownNames(variants[0] ?? []).map((name) => `unknown field "${name}"; `);
  const names = new Set(variants.map((errors) => missingNames(errors).join(" and ")));
  return `${unknown.join("")}expected an object with ${[...names].join(", or ")}`;
}

/** No variant takes the value: says which values and kinds there are. */
function expectedKind({ errors, message }: z.core.$ZodIssueInvalidUnion): string {
  const found = errors.flat();
  const near = found.find((inner) => inner.message.includes("; did you mean "));
  if (near) return plain(near.message);
  const kinds = found.flatMap((inner) =>
    inner.code === "invalid_value"
      ? inner.values.map((value) => JSON.stringify(value))
      : (/expected (\w+)/.exec(plain(inner.message))?.[1] ?? []),
  );
  if (kinds.length === 0) return plain(message);
  const missing = found.every((inner) => plain(inner.message).startsWith("missing, ")) ? "missing, " : "";
  const [last, ...others] = [...new Set(kinds)].reverse();
  return `${missing}expected ${others.length > 0 ? `${others.reverse().join(", ")} or ` : ""}${last}`;
}

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
