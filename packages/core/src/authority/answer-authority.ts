/** Who may answer an approval, checked at the time of the answer. */
import { fail } from "../failures/fail.ts";
import { ok, type Result } from "../result.ts";

/** Instead of a person: any admin. */
export const ANY_ADMIN = "admin";

export interface Answerer {
  readonly email: string;
  readonly isAdmin: boolean;
  /** The agent's owner named them for its approvals: they answer like the person asked, but cannot edit arguments. */
  readonly isApprover?: boolean | undefined;
}

export interface AskedApproval {
  readonly id: string;
  /** The user the tool would run for. */
  readonly userEmail: string;
  readonly assignee: string;
  /** A rule named the person to ask: only that person or an admin may approve. */
  readonly assigneeOnly: boolean;
  /** Whether the call would grant rights to someone. */
  readonly changesRights: boolean;
}

export interface AnswerKind {
  readonly approve: boolean;
  readonly edits: boolean;
  /** Not only this call, but every later one of the tool in the session. */
  readonly forSession?: boolean | undefined;
}

/** `rightsApprover`: named by the operator; may approve calls that change rights, like an admin. */
export function mayAnswer(
  { email, isAdmin, isApprover = false }: Answerer,
  asked: AskedApproval,
  answer: AnswerKind,
  rightsApprover?: string,
): Result<true> {
  const { id, userEmail, assignee, changesRights } = asked;
  if (isAdmin) return ok(true);
  const isNamed = email === rightsApprover && email !== userEmail;
  const isInvolved = email === userEmail || email === assignee || isApprover;
  if (!isInvolved && !(changesRights && isNamed)) return fail("not_found", { what: "approval", id });
  return answer.approve
    ? mayApprove({ isNamed, isUser: email === userEmail, isAsked: email === assignee }, asked, answer)
    : ok(true);
}

interface Approver {
  readonly isNamed: boolean;
  readonly isUser: boolean;
  readonly isAsked: boolean;
}

function mayApprove(
  { isNamed, isUser, isAsked }: Approver,
  { assignee, assigneeOnly, changesRights }: AskedApproval,
  { edits, forSession = false }: AnswerKind,
): Result<true> {
  if (changesRights && !isNamed)
    return fail("forbidden", {
      message: "This call would change rights, so its requester cannot approve it.",
      nextStep: "Ask an admin, or the person named in CAPSTAN_RIGHTS_APPROVER, to answer it.",
    });
  const isAdmins = assignee === ANY_ADMIN;
  if (assigneeOnly && (isAdmins || !isAsked))
    return fail("forbidden", {
      message: `A rule requires approval by ${isAdmins ? "an admin" : assignee}, so nobody else may approve it.`,
      nextStep: "Wait for their answer, or deny the call.",
    });
  if (edits && !isUser)
    return fail("forbidden", {
      message: "Only the person the call runs for may change its arguments.",
      nextStep: "Approve it as it is, or deny it and say what should change.",
    });
  if (forSession && !isUser)
    return fail("forbidden", {
      message: "Only the person the call runs for may allow the tool for the rest of the session.",
      nextStep: "Approve this call alone.",
    });
  return ok(true);
}
