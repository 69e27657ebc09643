/** Who may answer questions that are not about tool calls, and what they may change. */
import { fail, ok, type Result } from "@capstan/core";
import { mayAnswer } from "@capstan/core/internal";
import { moreOf } from "../../budgets/allow-more.ts";
import type { ApprovalKind } from "./approval-kind.ts";
import type { Approval, Decision } from "./approvals.ts";

type CheckAnswer = (
  rightsApprover: string | undefined,
  approval: Approval,
  decision: Decision,
) => Result<true>;

/** Exceeding a budget: by an admin or whom the operator names; only the amount may be edited. */
function checkMore(
  rightsApprover: string | undefined,
  approval: Approval,
  { approve, by, isAdmin = false, editedArguments, forSession = false }: Decision,
): Result<true> {
  const may = mayAnswer(
    { email: by, isAdmin },
    { ...approval, changesRights: true },
    { approve, edits: false },
    rightsApprover,
  );
  if (!may.ok || !approve) return may;
  if (forSession) return fail("approval_once_only", { tool: approval.tool, why: "it is for this period" });
  if (editedArguments !== undefined && moreOf(approval.arguments, editedArguments) === undefined)
    return fail("tool_input_invalid", { tool: approval.tool, where: "more: must be a number above 0" });
  return ok(true);
}

/** Sending a held text: only the text may be edited. */
function checkText(
  rightsApprover: string | undefined,
  approval: Approval,
  { approve, by, isAdmin = false, editedArguments: edited, forSession = false }: Decision,
): Result<true> {
  const kind = { approve, edits: edited !== undefined };
  const may = mayAnswer({ email: by, isAdmin }, { ...approval, changesRights: false }, kind, rightsApprover);
  if (!may.ok || !approve) return may;
  if (forSession) return fail("approval_once_only", { tool: approval.tool, why: "a check asks" });
  const isText = typeof Object(edited).text === "string" && Object.keys(Object(edited)).length === 1;
  if (edited === undefined || isText) return ok(true);
  return fail("tool_input_invalid", {
    tool: approval.tool,
    where: "only text may be changed, and must be a string",
  });
}

/** An account: only its owner can approve, by connecting it; an admin may deny. */
function checkConnect(
  rightsApprover: string | undefined,
  approval: Approval,
  { approve, by, isAdmin = false, connected = false }: Decision,
): Result<true> {
  const person = { email: by, isAdmin: isAdmin && !approve };
  const asked = { ...approval, changesRights: false };
  const may = mayAnswer(person, asked, { approve, edits: false }, rightsApprover);
  if (!may.ok || !approve || connected) return may;
  const { url = "/connections", name = "the account" } = approval.arguments as {
    url?: string;
    name?: string;
  };
  return fail("connection_not_answered", { url, name });
}

export const CHECKS: Readonly<Record<Exclude<ApprovalKind, "tool">, CheckAnswer>> = {
  budget: checkMore,
  text: checkText,
  connect: checkConnect,
};
