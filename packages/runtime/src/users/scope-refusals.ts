/**
 * Logins of which a call was just refused for its scopes. Version 1 of MCP's SDK answers that with a refresh, which gives
 * no more scopes. In memory: where another process gets the refresh, the client gets the same scopes again, as before.
 */
const STEP_UP_MS = 10_000; // a client that answers a refusal with a refresh does so at once

export function scopeRefusals(now: () => number = () => performance.now()) {
  const until = new Map<string, number>();
  return {
    note(login: string): void {
      for (const [each, end] of until) if (end < now()) until.delete(each);
      until.set(login, now() + STEP_UP_MS);
    },
    /** Once: a client that cannot ask the person gets its refresh at the second try. */
    take(login: string): boolean {
      const end = until.get(login);
      until.delete(login);
      return end !== undefined && end > now();
    },
  };
}
