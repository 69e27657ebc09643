/** The caller and their rights. */
import { includesRight, type Right } from "@capstan/core/internal";

export interface Caller {
  readonly email: string;
  readonly rights: readonly Right[];
  /** The key's id, or `loopback`. */
  readonly key: string;
  readonly perMinute: number;
  /** Set for a client that logged in: it may use this agent and no other. */
  readonly agentId?: string;
  /** The id of that login. */
  readonly client?: string;
  /** Set for someone who signed in. */
  readonly login?: { readonly id: string; readonly name: string };
}

export const isAdmin = ({ rights }: Pick<Caller, "rights">): boolean => includesRight(rights, "admin");
