/**
 * Rechecks a signed-in person with the provider: with the refresh token, otherwise with the access token while it is
 * valid. If the grant is refused, the login ends; if the provider does not answer, nothing changes.
 */
import type { Person } from "@capstan/runtime";
import type { Configuration } from "openid-client";
import type { Settings } from "../settings/settings.ts";
import { claimsOf, nameOf, verifiedEmail } from "./claims.ts";
import type { ProviderTokens, ProviderWord } from "./identity-types.ts";
import { keptTokens, moreAbout, readPerson, type Tokens } from "./read-person.ts";

export interface RecheckParts {
  readonly configuration: () => Promise<Configuration>;
  readonly settings: Settings;
}

export async function recheck(
  parts: RecheckParts,
  known: Person,
  tokens: ProviderTokens,
): Promise<ProviderWord> {
  const oidc = await import("openid-client");
  try {
    const config = await parts.configuration();
    const { refreshToken } = tokens;
    if (refreshToken === undefined) return await byAccessToken(parts, config, known, tokens);
    const fresh = await oidc.refreshTokenGrant(config, refreshToken);
    const all: Tokens = Object.assign(fresh, { refresh_token: fresh.refresh_token ?? refreshToken });
    return await byFreshTokens(parts, config, known, { old: tokens, fresh: all });
  } catch (error) {
    return isRefused(error) ? "ended" : "unreachable";
  }
}

interface Fresh {
  readonly old: ProviderTokens;
  readonly fresh: Tokens;
}

async function byFreshTokens(
  { settings }: RecheckParts,
  config: Configuration,
  known: Person,
  { old, fresh }: Fresh,
): Promise<ProviderWord> {
  const idToken = fresh.claims();
  if (idToken !== undefined && idToken.sub !== known.subject) return "ended"; // someone else's tokens
  if (idToken !== undefined) {
    const { person, tokens } = await readPerson(config, fresh, settings);
    return { person: { ...person, email: known.email }, tokens };
  }
  const more = await moreAbout(config, fresh.access_token, known.subject);
  return {
    person: merged(known, more, old, settings),
    tokens: keptTokens(fresh, settings, old.onlyInIdToken),
  };
}

async function byAccessToken(
  { settings }: RecheckParts,
  config: Configuration,
  known: Person,
  tokens: ProviderTokens,
): Promise<ProviderWord> {
  const isOver = (tokens.expiresAt ?? 0) <= Date.now();
  if (isOver || config.serverMetadata().userinfo_endpoint === undefined) return "cannot ask";
  const more = await moreAbout(config, tokens.accessToken, known.subject);
  return { person: merged(known, more, tokens, settings), tokens };
}

/** Claims that only the ID token had are kept; everything else is updated. */
function merged(
  known: Person,
  more: Readonly<Record<string, unknown>>,
  { onlyInIdToken }: Pick<ProviderTokens, "onlyInIdToken">,
  settings: Settings,
): Person {
  const kept = Object.entries(known.claims).filter(([name]) => onlyInIdToken.includes(name));
  const now = claimsOf(more, verifiedEmail(more, settings.CAPSTAN_OIDC_TRUST_EMAIL));
  return { ...known, name: nameOf(more, known.name), claims: { ...Object.fromEntries(kept), ...now } };
}

/** The grant was revoked, or a token that should be valid is not. A wrong client secret of ours is neither. */
function isRefused(error: unknown): boolean {
  const { error: code, cause } = error as { error?: unknown; cause?: unknown };
  if (code === "invalid_grant") return true;
  const challenges = Array.isArray(cause) ? (cause as { parameters?: { error?: string } }[]) : [];
  return challenges.some(({ parameters }) => parameters?.error === "invalid_token");
}
