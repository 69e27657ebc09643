/** Identifies who signed in from the provider's tokens, and which of these are kept for later checks. */
import type { Claims } from "@capstan/core/internal";
import type { Person } from "@capstan/runtime";
import type {
  Configuration,
  IDToken,
  TokenEndpointResponse,
  TokenEndpointResponseHelpers,
} from "openid-client";
import type { Settings } from "../settings/settings.ts";
import { addressFor, claimsOf, nameOf, verifiedEmail } from "./claims.ts";
import type { ProviderTokens } from "./identity-types.ts";

export interface SignedIn {
  readonly person: Person;
  readonly sid: string | undefined;
  /** To ask again later. */
  readonly tokens: ProviderTokens;
}

export type Tokens = TokenEndpointResponse & TokenEndpointResponseHelpers;

export async function readPerson(
  config: Configuration,
  tokens: Tokens,
  settings: Settings,
): Promise<SignedIn> {
  const idToken = tokens.claims();
  if (idToken === undefined) throw new Error("the provider sent no id token");
  const more = await moreAbout(config, tokens.access_token, idToken.sub);
  const said = { ...more, ...idToken };
  const { iss: issuer, sub: subject } = idToken;
  const ofEmail = idToken.email === undefined ? more : idToken; // the address and "verified" from the same place
  const verified = verifiedEmail(ofEmail, settings.CAPSTAN_OIDC_TRUST_EMAIL);
  const email = verified ?? addressFor(issuer, subject);
  const claims = claimsOf(said, verified);
  const sid = typeof idToken.sid === "string" ? idToken.sid : undefined;
  const kept = keptTokens(tokens, settings, onlyInIdToken(claims, claimsOf(more, undefined), idToken));
  return { person: { issuer, subject, email, name: nameOf(said, email), claims }, sid, tokens: kept };
}

/** Many providers return groups only here. The library refuses an answer about someone else. */
export async function moreAbout(config: Configuration, accessToken: string, sub: string) {
  if (config.serverMetadata().userinfo_endpoint === undefined) return {};
  const oidc = await import("openid-client");
  return oidc.fetchUserInfo(config, accessToken, sub);
}

export const keptTokens = (
  { access_token, refresh_token, expires_in }: Tokens,
  { CAPSTAN_OIDC_SCOPES }: Pick<Settings, "CAPSTAN_OIDC_SCOPES">,
  onlyThere: readonly string[],
): ProviderTokens => ({
  accessToken: access_token,
  ...(refresh_token !== undefined && { refreshToken: refresh_token }),
  ...(expires_in !== undefined && { expiresAt: Date.now() + expires_in * 1000 }),
  onlyInIdToken: [...onlyThere],
  isOffline: refresh_token !== undefined && /\boffline_access\b/.test(CAPSTAN_OIDC_SCOPES),
});

/** Claims that only an ID token contains. */
export const onlyInIdToken = (all: Claims, elsewhere: Claims, { email }: IDToken): string[] =>
  Object.keys(all).filter((name) =>
    name === "email" ? email !== undefined : !Object.hasOwn(elsewhere, name),
  );
