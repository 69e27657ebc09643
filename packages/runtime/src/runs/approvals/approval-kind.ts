/** What is asked for: one call of a tool, more of a budget, or sending what the model said. */
export const APPROVAL_KINDS = ["tool", "budget", "text"] as const;
export type ApprovalKind = (typeof APPROVAL_KINDS)[number];
