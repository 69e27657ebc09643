/** What an approval is for: one tool call, exceeding a budget, sending a held answer, or connecting an account. */
export const APPROVAL_KINDS = ["tool", "budget", "text", "connect"] as const;
export type ApprovalKind = (typeof APPROVAL_KINDS)[number];
