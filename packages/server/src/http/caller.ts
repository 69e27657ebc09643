/** The caller and their rights. */
import { includesRight, type Right } from "@capstan/core/internal";

export interface Caller {
  readonly email: string;
  readonly rights: readonly Right[];
  /** The key's id, or `loopback`. */
  readonly key: string;
  readonly perMinute: number;
}

export const isAdmin = ({ rights }: Pick<Caller, "rights">): boolean => includesRight(rights, "admin");
