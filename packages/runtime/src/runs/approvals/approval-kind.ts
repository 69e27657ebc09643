/** What is asked for: one call of a tool, more of a budget, sending what the model said, or an account of the user. */
export const APPROVAL_KINDS = ["tool", "budget", "text", "connect"] as const;
export type ApprovalKind = (typeof APPROVAL_KINDS)[number];
