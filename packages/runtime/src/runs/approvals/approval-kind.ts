/** What is asked for: one call of a tool, or more of a budget. */
export const APPROVAL_KINDS = ["tool", "budget"] as const;
export type ApprovalKind = (typeof APPROVAL_KINDS)[number];
