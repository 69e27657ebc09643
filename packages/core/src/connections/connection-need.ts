/**
 * A connection is a user's account at another service. A capability or a tool declares which it needs; it never says where
 * the account's token goes: the provider's row decides that.
 */
import { z } from "zod";

const MOST_SCOPES = 100;
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]{1,300}$/; // RFC 6749, scope-token

/** The address of an authorization server, of an issuer, or of an API with keys; otherwise a provider's id. */
export const ConnectionNeedDocument = z.strictObject({
  provider: z.string().min(1).max(500),
  scopes: z.array(z.string().regex(SCOPE, "is no OAuth scope")).max(MOST_SCOPES).default([]),
  /** If no provider is set up for it, the call is made without it, such as for an imported API with its own key. */
  optional: z.boolean().optional(),
});
export interface ConnectionNeed {
  readonly provider: string;
  readonly scopes: readonly string[];
  readonly optional?: boolean | undefined;
  /** What the API takes, where several providers have its address. */
  readonly kind?: "oauth2" | "api_key" | "basic" | undefined;
}

/** Needs of a tool and its capability as one list, one entry per provider. */
export function joinNeeds(...lists: (readonly ConnectionNeed[] | undefined)[]): ConnectionNeed[] {
  const byProvider = new Map<string, ConnectionNeed>();
  for (const need of lists.flatMap((list) => list ?? [])) {
    const before = byProvider.get(need.provider);
    byProvider.set(need.provider, {
      provider: need.provider,
      scopes: [...new Set([...(before?.scopes ?? []), ...need.scopes])],
      ...((before?.kind ?? need.kind) && { kind: before?.kind ?? need.kind }),
      ...((before?.optional ?? true) && need.optional && { optional: true }),
    });
  }
  return [...byProvider.values()];
}
