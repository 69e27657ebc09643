/** Scopes: an agent may do for a user only what both were granted. `*` means every scope. */

export const EVERY_SCOPE = "*";

/** Agent's ∩ user's. The result contains `*` only when both sides do. */
export function effectiveScopes(agent: readonly string[], user: readonly string[]): string[] {
  const agentHasAll = agent.includes(EVERY_SCOPE);
  const userHasAll = user.includes(EVERY_SCOPE);
  if (agentHasAll && userHasAll) return [EVERY_SCOPE];
  if (agentHasAll) return unique(user);
  if (userHasAll) return unique(agent);
  const both = new Set(user);
  return unique(agent).filter((scope) => both.has(scope));
}

/** The scopes of `required` that `granted` lacks, in order; empty = allowed. */
export function missingScopes(required: readonly string[], granted: readonly string[]): string[] {
  if (granted.includes(EVERY_SCOPE)) return [];
  const have = new Set(granted);
  return unique(required).filter((scope) => !have.has(scope));
}

const unique = (scopes: readonly string[]): string[] => [...new Set(scopes)];
