/**
 * Who is asked about a call, and what happens without an answer: set by the rule, otherwise by the tool, otherwise by
 * the agent.
 */
import type { RuntimeTool } from "@capstan/core";
import type { ApprovalExpiry, RuleAsk } from "@capstan/core/internal";

export interface AskedPerson {
  readonly assignee: string;
  /** Only this person or an admin may approve. */
  readonly assigneeOnly: boolean;
  readonly expiry: ApprovalExpiry;
}

export interface AskFacts {
  readonly tool: RuntimeTool;
  readonly ask?: RuleAsk | undefined;
  readonly userEmail: string;
  readonly agentExpiry: ApprovalExpiry;
  /** Named by the operator for questions about rights. */
  readonly rightsApprover?: string | undefined;
}

export function askedPerson({ tool, ask, userEmail, agentExpiry, rightsApprover }: AskFacts): AskedPerson {
  const expiry = ask?.expiry ?? agentExpiry;
  if (tool.tool.changesRights) return { assignee: rightsApprover ?? userEmail, assigneeOnly: false, expiry }; // rights have a stricter check of their own
  const whom = ask?.whom;
  return { assignee: whom ?? userEmail, assigneeOnly: whom !== undefined, expiry };
}
