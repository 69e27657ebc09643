/** Connections: users' accounts at other services, and the providers that an operator set up. */
import { z } from "zod";
import { countedPageOf, listOf, PageQuery, pageOf, queryText } from "./page.ts";
import { readBack } from "./read-back.ts";

const address = z.url({ protocol: /^https?$/ }).max(2000);
const scope = z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]{1,300}$/, "is no OAuth scope");
const host = z
  .string()
  .regex(
    /^(\*\.)?[a-zA-Z0-9-]+(\.[a-zA-Z0-9-]+)*(:\d{1,5})?$|^\[[0-9a-fA-F:]+\](:\d{1,5})?$/,
    "is no host such as api.example.com",
  );
const providerId = z.string().regex(/^[a-z0-9][a-z0-9_.:-]{0,99}$/, "is no provider's id");

export const CONNECTION_KINDS = ["oauth2", "api_key", "basic"] as const;
export const CONSENT_TERMS = ["once", "time", "always"] as const;

export const ConnectionProviderInfo = z
  .object({
    id: z.string(),
    name: z.string(),
    kind: z.enum(CONNECTION_KINDS),
    ready: z.boolean().meta({ description: "Whether users can connect." }),
    listed: z.boolean().meta({ description: "Whether it is a row of the built-in table." }),
    from: z.enum(["settings", "environment", "none"]).meta({ description: "Where the client comes from." }),
    client_id: z.string().nullable(),
    has_secret: z.boolean(),
    hosts: z.array(z.string()).meta({ description: "The only hosts that its tokens are sent to." }),
    authorization_url: z.string().nullable(),
    token_url: z.string().nullable(),
    revocation_url: z.string().nullable(),
    account_url: z.string().nullable(),
    issuer: z.string().nullable(),
    resource: z.string().nullable(),
    tenant: z.string().nullable(),
    base_scopes: z.array(z.string()).nullable(),
    scope_separator: z.enum([" ", ","]).nullable(),
    pkce: z.boolean(),
    client_proof: z.enum(["body", "header"]).nullable(),
    header: z.string().nullable(),
    query: z.string().nullable(),
    prefix: z.string().nullable(),
    redirect_uri: z.string().meta({ description: "To register at the provider." }),
  })
  .meta({
    id: "ConnectionProvider",
    description: "Null: the operator did not set it. May be sent back to `PUT` as it was read.",
  });
export type ConnectionProviderInfo = z.infer<typeof ConnectionProviderInfo>;
/** What the server says of a provider. */
const kept = ConnectionProviderInfo.pick({
  id: true,
  ready: true,
  listed: true,
  from: true,
  has_secret: true,
  redirect_uri: true,
}).shape;

export const ConnectionProviderPut = z
  .strictObject({
    ...readBack(kept),
    name: z.string().trim().min(1).max(100).optional(),
    kind: z.enum(CONNECTION_KINDS).optional(),
    client_id: z.string().min(1).max(500).nullish(),
    client_secret: z
      .string()
      .min(1)
      .max(2000)
      .optional()
      .meta({ writeOnly: true, description: "Write-only. Left out, or `[sealed]`: as it was." }),
    tenant: z
      .string()
      .regex(/^[\w.-]{1,100}$/)
      .nullish()
      .meta({ description: "Microsoft's directory: an id, a domain, `common` or `organizations`." }),
    issuer: address
      .nullish()
      .meta({ description: "Its addresses are read from there when they are left out." }),
    authorization_url: address.nullish(),
    token_url: address.nullish(),
    revocation_url: address.nullish(),
    account_url: address.nullish().meta({ description: "Where the account's name is read." }),
    hosts: z.array(host).min(1).max(50).optional().meta({
      description: "The only hosts that its tokens are sent to: `host`, `host:port` or `*.domain`.",
    }),
    base_scopes: z.array(scope).max(50).nullish().meta({ description: "Asked for every time." }),
    scope_separator: z.enum([" ", ","]).nullish(),
    pkce: z.boolean().optional(),
    client_proof: z.enum(["body", "header"]).nullish(),
    resource: address.nullish().meta({ description: "RFC 8707: the audience of the tokens." }),
    header: z
      .string()
      .regex(/^[A-Za-z0-9-]{1,100}$/)
      .nullish()
      .meta({ description: "For keys: the header that carries it." }),
    query: z
      .string()
      .regex(/^[\w.-]{1,100}$/)
      .nullish()
      .meta({ description: "For keys: the query parameter that carries it." }),
    prefix: z
      .string()
      .regex(/^[\x20-\x7e]{0,50}$/)
      .nullish()
      .meta({ description: "For keys: what stands before it in the header." }),
  })
  .meta({ id: "ConnectionProviderPut" });
export type ConnectionProviderPut = z.input<typeof ConnectionProviderPut>;

export const ConnectionProviderId = z.strictObject({ id: providerId });

export const ConnectionProviderList = listOf(ConnectionProviderInfo).meta({ id: "ConnectionProviderList" });

const ConnectionConsent = z.object({
  agent_id: z.string().meta({ description: "`*`: every agent that the user uses." }),
  agent_name: z.string(),
  until: z.iso.datetime().nullable(),
});

export const ConnectionInfo = z
  .object({
    id: z.uuid(),
    user: z.string(),
    provider: z.string(),
    provider_name: z.string(),
    kind: z.enum(CONNECTION_KINDS),
    account: z.string().meta({ description: "As the provider names it; empty when it does not say." }),
    scopes: z.array(z.string()),
    status: z
      .enum(["active", "ended"])
      .meta({ description: "`ended`: the provider no longer accepts it; connect again." }),
    consents: z.array(ConnectionConsent).meta({ description: "Which agents may use it." }),
    created_at: z.iso.datetime(),
    last_used_at: z.iso.datetime().nullable(),
  })
  .meta({ id: "Connection" });
export type ConnectionInfo = z.infer<typeof ConnectionInfo>;
export const ConnectionList = countedPageOf(ConnectionInfo).meta({ id: "ConnectionList" });

export const ConnectionQuery = PageQuery.extend({
  agent_id: z.string().max(200).optional().meta({ description: "Connections that this agent may use." }),
  provider: z.string().max(100).optional(),
  status: ConnectionInfo.shape.status.optional(),
  q: queryText("the account, the provider or the user"),
});
export type ConnectionQuery = z.input<typeof ConnectionQuery>;

export const ConnectionUseQuery = PageQuery.extend({
  agent_id: z.string().max(200).optional(),
  q: queryText("the tool or the capability"),
});
export type ConnectionUseQuery = z.input<typeof ConnectionUseQuery>;

export const ConnectionStart = z
  .strictObject({
    provider: providerId.optional().meta({ description: "May be left out when `approval_id` is given." }),
    scopes: z.array(scope).max(100).optional(),
    agent_id: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .meta({ description: "Which agent may use it. Left out: every agent that you use." }),
    approval_id: z.uuid().optional().meta({ description: "The question of a run that waits for it." }),
    term: z
      .enum(CONSENT_TERMS)
      .default("always")
      .meta({ description: "`once`: for the call that asked. `time`: for `hours`." }),
    hours: z.number().positive().max(8784).default(24),
    key: z.string().min(1).max(10_000).optional().meta({ writeOnly: true }),
    user: z.string().min(1).max(500).optional(),
    password: z.string().min(1).max(10_000).optional().meta({ writeOnly: true }),
  })
  .meta({ id: "ConnectionStart" });
export type ConnectionStart = z.input<typeof ConnectionStart>;

export const ConnectionStarted = z
  .object({
    authorization_url: z
      .string()
      .nullable()
      .meta({ description: "Where you consent, at the provider. Null: it is connected already." }),
    connection: ConnectionInfo.nullable(),
  })
  .meta({ id: "ConnectionStarted" });
export type ConnectionStarted = z.infer<typeof ConnectionStarted>;

export const ConnectionFinish = z
  .strictObject({
    state: z.string().min(1).max(500),
    code: z.string().min(1).max(10_000).optional(),
    error: z.string().max(500).optional(),
    iss: z.string().max(2000).optional(),
    at: z.string().max(500).optional().meta({
      description: "The path that the provider sent the browser to. Default: /connections/callback.",
    }),
  })
  .meta({ id: "ConnectionFinish", description: "What the provider sent back." });
export type ConnectionFinish = z.input<typeof ConnectionFinish>;

export const ConnectionFinished = z
  .object({
    connection: ConnectionInfo,
    missing_scopes: z
      .array(z.string())
      .meta({ description: "Asked for and not given: a run that needs them still waits." }),
    session_id: z.string().nullable().meta({ description: "The session whose run continues." }),
  })
  .meta({ id: "ConnectionFinished" });
export type ConnectionFinished = z.infer<typeof ConnectionFinished>;

export const ConnectionUse = z
  .object({
    used_at: z.iso.datetime(),
    agent_id: z.string(),
    agent_name: z.string(),
    capability_id: z.string(),
    tool: z.string(),
    session_id: z.string().nullable(),
    run_id: z.string().nullable(),
  })
  .meta({ id: "ConnectionUse" });
export type ConnectionUse = z.infer<typeof ConnectionUse>;
export const ConnectionUseList = pageOf(ConnectionUse).meta({ id: "ConnectionUseList" });

export const ConnectionConsentId = z.strictObject({ id: z.uuid(), agent_id: z.string().min(1).max(200) });

export const ConnectionRevoked = z
  .object({
    revoked_at_provider: z
      .boolean()
      .nullable()
      .meta({ description: "Null: the provider has no address for it; here it is gone in any case." }),
  })
  .meta({ id: "ConnectionRevoked" });
export type ConnectionRevoked = z.infer<typeof ConnectionRevoked>;
