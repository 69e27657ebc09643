/** Which revision of its agent a session or token uses: a fixed one, or the one a label currently points to. */

export const REVISION_LABELS = ["draft", "live", "canary"] as const;
export type RevisionLabel = (typeof REVISION_LABELS)[number];

/** For one agent: after a handover, the next agent is used as it is live. */
export interface Follows {
  readonly agentId: string;
  readonly revision?: number;
  readonly label?: RevisionLabel;
}

/** Whether a new session is one of the share, in percent. By its id: the same answer on every process, and after a retry. */
export const isInShare = (hashOfId: number, share: number): boolean => hashOfId % 100 < share;
