/** A document's faults, each by its path, for people and for programs. */
import type { z } from "zod";

export interface Fault {
  /** Where, such as `actions[0].parameters[2].name`; empty for the whole document. */
  readonly path: string;
  readonly message: string;
}

export function faultsOf(error: z.ZodError): Fault[] {
  return error.issues.flatMap(issueFaults);
}

/** Where a value may be one of several kinds, only the kind the author meant is reported. */
function issueFaults(issue: z.core.$ZodIssue): Fault[] {
  if (issue.code === "invalid_union") {
    const isOtherKind = (inner: z.core.$ZodIssue) => inner.path.length === 0 && inner.code === "invalid_type";
    const meant = issue.errors.find((errors) => !errors.some(isOtherKind));
    if (meant?.length) {
      return meant.flatMap((inner) => issueFaults({ ...inner, path: [...issue.path, ...inner.path] }));
    }
  }
  return [{ path: pathText(issue.path), message: issue.message }];
}

function pathText(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === "number") return `${text}[${part}]`;
    return text === "" ? String(part) : `${text}.${String(part)}`;
  }, "");
}
