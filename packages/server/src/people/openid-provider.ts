/**
 * The OpenID provider that people sign in with, by openid-client: discovery, code with PKCE, state and nonce, the device
 * flow, and logout that the provider reports. Every signature is checked with the provider's keys, also of tokens that
 * came straight from it.
 */
import { fail, ok, type Result } from "@capstan/core";
import type { Person } from "@capstan/runtime";
import type { JWTPayload } from "jose";
import type { Configuration, ServerMetadata } from "openid-client";
import type { Settings } from "../settings/settings.ts";
import { askDevice, beginDevice, type DeviceCode, hasDeviceFlow } from "./device-flow.ts";
import type { ProviderTokens, ProviderWord } from "./identity-types.ts";
import { readPerson, type SignedIn } from "./read-person.ts";
import { recheck } from "./recheck.ts";

/** What the provider's redirect must contain. */
export interface Attempt {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  /** A path of ours. */
  readonly returnTo: string;
  readonly startedAt: number;
}

export interface OpenIdProvider {
  readonly issuer: string;
  begin(callback: string, attempt: Attempt): Promise<Result<URL>>;
  finish(current: URL, attempt: Attempt): Promise<Result<SignedIn>>;
  /** The device flow (RFC 8628): a code that a person confirms in any browser. */
  beginDevice(): Promise<Result<DeviceCode>>;
  /** Asks once whether it is confirmed. */
  askDevice(code: string): Promise<Result<SignedIn | "pending" | "slow down">>;
  /** Asks again who someone is, with the tokens of their login. */
  recheck(known: Person, tokens: ProviderTokens): Promise<ProviderWord>;
  /** Who signed out at the provider; a refusal when the token is not the provider's. */
  readLogout(token: string): Promise<Result<{ subject: string | undefined; sid: string | undefined }>>;
}

const TIMEOUT_SECONDS = 10;
/** How far the provider's clock may be from ours. */
const CLOCK_SECONDS = 300;
/** From this age on the library fetches keys again for one that it does not know. */
const AGED_SECONDS = 60;
/** Anybody may send a logout token with an unknown key. */
const SECONDS_BETWEEN_KEYS = 5;
const LOGOUT_EVENT = "http://schemas.openid.net/event/backchannel-logout";
const LOGOUT_TOKEN_MINUTES = 5;

export function openIdProvider(settings: Settings): OpenIdProvider | undefined {
  const { CAPSTAN_OIDC_ISSUER: issuer, CAPSTAN_OIDC_CLIENT_ID: clientId } = settings;
  if (issuer === undefined || clientId === undefined) return undefined;
  const configuration = discoveredOnce(settings, issuer, clientId);
  return {
    issuer,
    begin: (callback, attempt) =>
      withReason(async () => {
        const oidc = await import("openid-client");
        return oidc.buildAuthorizationUrl(await configuration(), {
          redirect_uri: callback,
          scope: settings.CAPSTAN_OIDC_SCOPES,
          state: attempt.state,
          nonce: attempt.nonce,
          code_challenge: await oidc.calculatePKCECodeChallenge(attempt.verifier),
          code_challenge_method: "S256",
        });
      }),
    finish: (current, { state, nonce, verifier }) =>
      withReason(async () => {
        const oidc = await import("openid-client");
        const config = await configuration();
        const checks = {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
        };
        return readPerson(config, await oidc.authorizationCodeGrant(config, current, checks), settings);
      }),
    async beginDevice() {
      const config = await withReason(configuration);
      if (!config.ok) return config;
      if (!hasDeviceFlow(config.value)) return fail("device_flow_missing", { issuer });
      return withReason(() => beginDevice(config.value, settings.CAPSTAN_OIDC_SCOPES));
    },
    async askDevice(code) {
      const asked = await withReason(async () => askDevice(await configuration(), code));
      if (!asked.ok) return asked;
      if (asked.value === "denied") return fail("login_denied", {});
      if (asked.value === "expired") return fail("login_expired", {});
      if (typeof asked.value === "string") return ok(asked.value);
      const tokens = asked.value;
      return withReason(async () => readPerson(await configuration(), tokens, settings));
    },
    recheck: (known, tokens) => recheck({ configuration, settings }, known, tokens),
    readLogout: (token) => withReason(async () => readLogoutToken(await configuration(), token, clientId)),
  };
}

/**
 * Read once and cached; after a failure the next caller reads it again. Each caller gets a copy in which the cached keys are
 * old enough to be fetched again, so that keys rotated twice within a minute are found at once.
 */
function discoveredOnce(settings: Settings, issuer: string, clientId: string): () => Promise<Configuration> {
  let known: Promise<ServerMetadata> | undefined;
  let last: Configuration | undefined;
  return async () => {
    const oidc = await import("openid-client");
    known ??= discover(issuer, clientId).catch((error: unknown) => {
      known = undefined;
      throw error;
    });
    const config = configured(oidc, await known, clientId, settings.CAPSTAN_OIDC_CLIENT_SECRET);
    const keys = last && oidc.getJwksCache(last);
    const oldest = Math.floor(Date.now() / 1000) - AGED_SECONDS;
    if (keys !== undefined) oidc.setJwksCache(config, { ...keys, uat: Math.min(keys.uat, oldest) });
    last = config;
    return config;
  };
}

type Oidc = typeof import("openid-client");

async function discover(issuer: string, clientId: string): Promise<ServerMetadata> {
  const oidc = await import("openid-client");
  const options = { execute: insecureOnLoopback(oidc, issuer), timeout: TIMEOUT_SECONDS };
  const found = await oidc.discovery(new URL(issuer), clientId, undefined, oidc.None(), options);
  return found.serverMetadata();
}

/** Settings allow plain http on loopback only. */
const insecureOnLoopback = (oidc: Oidc, issuer: string) =>
  issuer.startsWith("http:") ? [oidc.allowInsecureRequests] : [];

function configured(
  oidc: Oidc,
  metadata: ServerMetadata,
  clientId: string,
  secret: string | undefined,
): Configuration {
  const methods = metadata.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
  const withSecret = methods.includes("client_secret_post") ? oidc.ClientSecretPost : oidc.ClientSecretBasic;
  const auth = secret === undefined ? oidc.None() : withSecret(secret);
  const config = new oidc.Configuration(metadata, clientId, { [oidc.clockTolerance]: CLOCK_SECONDS }, auth);
  for (const apply of insecureOnLoopback(oidc, metadata.issuer)) apply(config);
  oidc.enableNonRepudiationChecks(config);
  config.timeout = TIMEOUT_SECONDS;
  return config;
}

/** OpenID Connect Back-Channel Logout 1.0, section 2.6. */
async function readLogoutToken(config: Configuration, token: string, clientId: string) {
  const { issuer, jwks_uri } = config.serverMetadata();
  if (jwks_uri === undefined) throw new Error("the provider has no jwks_uri");
  const { createRemoteJWKSet, jwtVerify } = await import("jose");
  const { payload } = await jwtVerify(token, keysAt(jwks_uri, createRemoteJWKSet), {
    issuer,
    audience: clientId,
    maxTokenAge: `${LOGOUT_TOKEN_MINUTES} minutes`,
    clockTolerance: CLOCK_SECONDS,
    algorithms: ASYMMETRIC, // never `none`, never one where our own secret is the key
    requiredClaims: ["iat", "jti", "events"],
  });
  const fault = faultInLogout(payload);
  if (fault !== undefined) throw new Error(fault);
  return { subject: payload.sub, sid: typeof payload.sid === "string" ? payload.sid : undefined };
}

const ASYMMETRIC = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
  "Ed25519",
];

function faultInLogout({ nonce, events, sub, sid }: JWTPayload): string | undefined {
  if (nonce !== undefined) return "it has a nonce, so it is an id token";
  const isEvent = events !== null && typeof events === "object" && Object.hasOwn(events, LOGOUT_EVENT);
  if (!isEvent) return "it is about another event";
  return sub === undefined && typeof sid !== "string" ? "it names nobody" : undefined;
}

type RemoteKeys = ReturnType<typeof import("jose").createRemoteJWKSet>;
const knownKeys = new Map<string, RemoteKeys>();

/** Kept, so that keys are fetched rarely however many tokens someone invents. */
function keysAt(url: string, create: typeof import("jose").createRemoteJWKSet): RemoteKeys {
  const limits = {
    timeoutDuration: TIMEOUT_SECONDS * 1000,
    cooldownDuration: SECONDS_BETWEEN_KEYS * 1000,
  };
  const keys = knownKeys.get(url) ?? create(new URL(url), limits);
  knownKeys.set(url, keys);
  return keys;
}

/** Errors of the library are expected failures: a wrong answer, or none. */
async function withReason<T>(step: () => Promise<T>): Promise<Result<T>> {
  try {
    return ok(await step());
  } catch (error) {
    return fail("sign_in_failed", { why: error instanceof Error ? reasonOf(error) : String(error) });
  }
}

function reasonOf(error: Error): string {
  const { cause } = error;
  const because = cause instanceof Error ? `: ${cause.message}` : "";
  const code = "code" in error && typeof error.code === "string" ? ` (${error.code})` : "";
  return `${error.message}${because}${code}`;
}
