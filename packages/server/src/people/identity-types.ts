/** Short names for what is kept of a provider's answers. */
import type { Identities } from "@capstan/runtime";

export type IdentityChecks = Identities["checks"];
export type ProviderTokens = Identities["tokens"];
export type ProviderWord = Identities["word"];
