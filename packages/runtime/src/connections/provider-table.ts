/**
 * The providers of connections, a row each. The operator adds a client id and a secret; a provider that is not in here is
 * set up by its addresses. `hosts` are the only ones that a token of the provider is ever sent to.
 */

export type ConnectionKind = "oauth2" | "api_key" | "basic";

/** Where a request carries a credential. */
export interface SentAs {
  readonly in: "header" | "query";
  readonly name: string;
  /** Before the value, such as `Bearer `. */
  readonly prefix: string;
}

/** How a token is revoked at the provider: RFC 7009, or the provider's own way. */
export type RevokeStyle = "form" | "json" | "github" | "bearer";

export interface ConnectionProvider {
  readonly id: string;
  readonly name: string;
  readonly kind: ConnectionKind;
  /** `host`, `host:port` or `*.domain`. */
  readonly hosts: readonly string[];
  readonly sentAs: SentAs;
  readonly oauth?: OAuthFacts;
}

export interface OAuthFacts {
  readonly authorizationUrl: string;
  readonly tokenUrl: string;
  readonly revocationUrl?: string | undefined;
  readonly revokeStyle: RevokeStyle;
  /** Between scopes in the authorization request. */
  readonly scopeSeparator: " " | ",";
  /** The parameter with the scopes; Slack has one for the user's. */
  readonly scopeParameter: string;
  /** Always asked for: who the account is, and a refresh token. */
  readonly baseScopes: readonly string[];
  /** Ignored when scopes are compared: some responses add it. */
  readonly scopePrefix?: string | undefined;
  /** Scopes that include others; a provider leaves out what is included. */
  readonly includes?: Readonly<Record<string, readonly string[]>> | undefined;
  readonly pkce: boolean;
  /** How the client proves itself at the token endpoint. */
  readonly clientProof: "body" | "header";
  readonly tokenBody: "form" | "json";
  /** More parameters of the authorization request. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Where the account's name is read with the new token, and the fields to try in order. */
  readonly account?: { readonly url: string; readonly fields: readonly string[] } | undefined;
  /** RFC 8707: whom the token is for. */
  readonly resource?: string | undefined;
  /** RFC 9207: the issuer; an answer that names another is refused. */
  readonly issuer?: string | undefined;
  /** RFC 9207: it always names its issuer; an answer without one is refused. */
  readonly namesItself?: boolean | undefined;
  /** Its API refuses a token or a scope with status 200 and a body: see `accountRefusal`. */
  readonly refusesIn?: "body" | undefined;
}

export const BEARER: SentAs = { in: "header", name: "authorization", prefix: "Bearer " };

const USUAL = {
  revokeStyle: "form",
  scopeSeparator: " ",
  scopeParameter: "scope",
  baseScopes: [],
  pkce: true,
  clientProof: "body",
  tokenBody: "form",
  parameters: {},
} as const;

export const usualOAuth = (facts: Pick<OAuthFacts, "authorizationUrl" | "tokenUrl"> & Partial<OAuthFacts>) =>
  ({ ...USUAL, ...facts }) satisfies OAuthFacts;

const row = (
  id: string,
  name: string,
  hosts: readonly string[],
  facts: Parameters<typeof usualOAuth>[0],
): ConnectionProvider => ({ id, name, kind: "oauth2", hosts, sentAs: BEARER, oauth: usualOAuth(facts) });

/** `{tenant}` is the operator's setting. */
export const CONNECTION_PROVIDERS: readonly ConnectionProvider[] = [
  row("microsoft", "Microsoft", ["graph.microsoft.com"], {
    authorizationUrl: "https://login.microsoftonline.com/{tenant}/oauth2/v2.0/authorize",
    tokenUrl: "https://login.microsoftonline.com/{tenant}/oauth2/v2.0/token",
    baseScopes: ["openid", "email", "profile", "offline_access"],
    scopePrefix: "https://graph.microsoft.com/",
  }),
  row("google", "Google", ["*.googleapis.com"], {
    authorizationUrl: "https://accounts.google.com/o/oauth2/v2/auth",
    tokenUrl: "https://oauth2.googleapis.com/token",
    revocationUrl: "https://oauth2.googleapis.com/revoke",
    baseScopes: ["openid", "email"],
    // Without `consent` there is no refresh token when the user has agreed before.
    parameters: { access_type: "offline", prompt: "consent", include_granted_scopes: "true" },
  }),
  row("github", "GitHub", ["api.github.com", "uploads.github.com"], {
    authorizationUrl: "https://github.com/login/oauth/authorize",
    tokenUrl: "https://github.com/login/oauth/access_token",
    revocationUrl: "https://api.github.com/applications/{client_id}/token",
    revokeStyle: "github",
    account: { url: "https://api.github.com/user", fields: ["login"] },
    includes: {
      repo: ["public_repo", "repo:status", "repo_deployment", "repo:invite", "security_events"],
      user: ["read:user", "user:email", "user:follow"],
      "admin:org": ["write:org", "read:org"],
      "write:org": ["read:org"],
      "admin:repo_hook": ["write:repo_hook", "read:repo_hook"],
      "write:packages": ["read:packages"],
      project: ["read:project"],
    },
  }),
  row("gitlab", "GitLab", ["gitlab.com"], {
    authorizationUrl: "https://gitlab.com/oauth/authorize",
    tokenUrl: "https://gitlab.com/oauth/token",
    revocationUrl: "https://gitlab.com/oauth/revoke",
    baseScopes: ["openid", "email"],
  }),
  row("slack", "Slack", ["slack.com", "files.slack.com"], {
    authorizationUrl: "https://slack.com/oauth/v2/authorize",
    tokenUrl: "https://slack.com/api/oauth.v2.access",
    revocationUrl: "https://slack.com/api/auth.revoke",
    revokeStyle: "bearer",
    scopeSeparator: ",",
    scopeParameter: "user_scope",
    pkce: false, // a confidential client's code is bound to its secret
    refusesIn: "body",
  }),
  row("atlassian", "Atlassian", ["api.atlassian.com"], {
    authorizationUrl: "https://auth.atlassian.com/authorize",
    tokenUrl: "https://auth.atlassian.com/oauth/token",
    baseScopes: ["offline_access"],
    tokenBody: "json",
    pkce: false, // as for Slack
    parameters: { audience: "api.atlassian.com", prompt: "consent" },
  }),
  row("notion", "Notion", ["api.notion.com"], {
    authorizationUrl: "https://api.notion.com/v1/oauth/authorize",
    tokenUrl: "https://api.notion.com/v1/oauth/token",
    revocationUrl: "https://api.notion.com/v1/oauth/revoke",
    revokeStyle: "json",
    clientProof: "header",
    tokenBody: "json",
    pkce: false, // as for Slack
    parameters: { owner: "user" },
  }),
];

/** Whether a credential of the provider may go to this address: over TLS, or to a host that the operator named with its port. */
export function mayReceive({ hosts }: Pick<ConnectionProvider, "hosts">, url: URL): boolean {
  const host = url.host.toLowerCase();
  return hosts.some((entry) => {
    const named = entry.toLowerCase();
    if (named === host) return url.protocol === "https:" || named.includes(":");
    return named.startsWith("*.") && url.protocol === "https:" && host.endsWith(named.slice(1));
  });
}

/** The scopes of `wanted` that an account does not have. */
export function lackingScopes(
  { oauth }: Pick<ConnectionProvider, "oauth">,
  wanted: readonly string[],
  have: readonly string[],
): string[] {
  if (!oauth) return []; // a key or a password has no scopes
  const plain = (scope: string) =>
    oauth.scopePrefix !== undefined && scope.startsWith(oauth.scopePrefix)
      ? scope.slice(oauth.scopePrefix.length)
      : scope;
  const held = new Set(have.map(plain).flatMap((scope) => [scope, ...(oauth.includes?.[scope] ?? [])]));
  return [...new Set(wanted)].filter((scope) => !held.has(plain(scope)));
}
