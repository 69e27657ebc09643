/** What many answers share. */
export type JsonObject = { [key: string]: unknown };
export type ApprovalPolicyName = "auto" | "approve" | "client" | "deny";

export interface Items<T> {
  items: T[];
}

export interface Page<T> extends Items<T> {
  next_cursor?: string;
}

export interface PageQuery {
  readonly limit?: number | undefined;
  readonly cursor?: string | undefined;
}
