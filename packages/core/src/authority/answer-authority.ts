/** Who may answer an approval, checked at the time of the answer. */
import { fail } from "../failures/fail.ts";
import { ok, type Result } from "../result.ts";

export interface Answerer {
  readonly email: string;
  readonly isAdmin: boolean;
}

export interface AskedApproval {
  readonly id: string;
  /** The user the tool would run for. */
  readonly userEmail: string;
  readonly assignee: string;
  /** Whether the call would grant rights to someone. */
  readonly changesRights: boolean;
}

export interface AnswerKind {
  readonly approve: boolean;
  readonly edits: boolean;
}

/** `rightsApprover`: named by the operator; may approve calls that change rights, like an admin. */
export function mayAnswer(
  { email, isAdmin }: Answerer,
  { id, userEmail, assignee, changesRights }: AskedApproval,
  { approve, edits }: AnswerKind,
  rightsApprover?: string,
): Result<true> {
  if (isAdmin) return ok(true);
  const isNamed = email === rightsApprover && email !== userEmail;
  if (email !== userEmail && email !== assignee && !(changesRights && isNamed))
    return fail("not_found", { what: "approval", id });
  if (approve && changesRights && !isNamed)
    return fail("forbidden", {
      message: "This call would change rights, so whoever asked cannot approve it.",
      nextStep: "Ask an admin, or the person named in CAPSTAN_RIGHTS_APPROVER, to answer it.",
    });
  if (approve && edits && email !== userEmail)
    return fail("forbidden", {
      message: "Only the person the call runs for may change its arguments.",
      nextStep: "Approve it as it is, or deny it and say what should change.",
    });
  return ok(true);
}
