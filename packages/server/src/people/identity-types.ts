/** Types for the stored parts of a provider's responses. */
import type { Identities } from "@capstan/runtime";

export type IdentityChecks = Identities["checks"];
export type ProviderTokens = Identities["tokens"];
export type ProviderWord = Identities["word"];
