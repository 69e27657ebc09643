/** Who asks, and what they may do. */
export type Right = "read" | "run" | "admin";

export interface Caller {
  readonly email: string;
  readonly rights: readonly Right[];
  /** The key's id, or `loopback`. */
  readonly key: string;
  readonly perMinute: number;
}
