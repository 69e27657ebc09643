/** The server's settings: all environment variables, parsed once. `main.ts` is the only caller with the real environment. */
import { fail, ok, type Result } from "@capstan/core";
import { parseClearJson, readInput } from "@capstan/core/internal";
import { z } from "zod";
import { isAddressRange } from "./address-range.ts";
import { adminClaims } from "./admin-claims.ts";
import { misspeltSettings } from "./misspelt-settings.ts";
import { numberSetting } from "./number-setting.ts";

const list = z.string().transform((text) =>
  text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== ""),
);
/** Each as a browser sends it: scheme, host and port. A star would allow every page, so it is refused. */
const origins = list
  .transform((parts) => parts.map((part) => part.toLowerCase().replace(/\/$/, "")))
  .refine((parts) => parts.every((part) => URL.canParse(part) && new URL(part).origin === part), {
    message: "must list origins such as https://app.example.com, separated by commas",
  });
/** `name=value,other=value`, OpenTelemetry's header format. */
const pairs = list.transform((parts) =>
  Object.fromEntries(
    parts.map((part) => [part.split("=")[0] ?? "", decodeURIComponent(part.slice(part.indexOf("=") + 1))]),
  ),
);
const secret = z.string().min(1).optional();
/** JSON: `{"google":{"client_id":"…","client_secret":"…"}}`. */
const connectionClients = z
  .string()
  .transform((text, context) => {
    try {
      return parseClearJson(text);
    } catch {
      context.addIssue({ code: "custom", message: "must be JSON, each key once" }); // never with the text: it has secrets
      return z.NEVER;
    }
  })
  .pipe(
    z.record(
      z.string().regex(/^[a-z0-9_.-]{1,100}$/),
      z.strictObject({ client_id: z.string().min(1), client_secret: z.string().min(1).optional() }),
    ),
  );
const LOOPBACK_HOSTS = new Set(["127.0.0.1", "localhost", "[::1]", "::1"]);
/** A provider over plain http could be anyone. */
function isProtected(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === "https:" || LOOPBACK_HOSTS.has(hostname);
}

const Environment = z.object({
  PORT: numberSetting({ whole: true, min: 0, max: 65_535 }).default(4400),
  HOST: z.string().min(1).default("127.0.0.1"),
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, "must start with postgres://")
    .optional(),
  DATABASE_DIRECT_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, "must start with postgres://")
    .optional(),
  DATABASE_REPLICA_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, "must start with postgres://")
    .optional(),
  CAPSTAN_DATA_DIR: z.string().min(1).default("./.capstan"),
  CAPSTAN_ALLOW_HOSTS: list.default([]),
  CAPSTAN_ALLOW_UNSEPARATED_PACKAGES: z.stringbool().default(false),
  CAPSTAN_MODEL: z
    .string()
    .regex(/^[\w.-]+\/.+$/, "must have the form provider/model")
    .optional(),
  CAPSTAN_FIND_MODELS: z.enum(["on", "off"]).default("on"),
  CAPSTAN_SECRET_HOSTS: list
    .refine(
      (entries) => entries.every((entry) => /^\w+=\S+$/.test(entry)),
      "must have the form NAME=host,NAME=host",
    )
    .default([]),
  CAPSTAN_CONNECTION_CLIENTS: connectionClients.default({}),
  CAPSTAN_RIGHTS_APPROVER: z.email().optional(),
  CAPSTAN_SECRET: z.string().min(16, "must have at least 16 characters").optional(),
  CAPSTAN_STREAMS_PER_KEY: numberSetting({ whole: true, min: 1 }).default(1000),
  CAPSTAN_RATE_LIMIT_PER_MINUTE: numberSetting({ whole: true, min: 1 }).default(6000),
  CAPSTAN_FILE_LIMIT_BYTES: numberSetting({ whole: true, min: 1 }).default(10 * 1024 * 1024),
  CAPSTAN_SESSION_LIMIT_BYTES: numberSetting({ whole: true, min: 1 }).default(500 * 1024 * 1024),
  CAPSTAN_DISK_RESERVE_BYTES: numberSetting({ whole: true, min: 0 }).default(64 * 1024 * 1024),
  CAPSTAN_EVENT_RETENTION_DAYS: numberSetting({ above: 0, max: 36_500 }).optional(),
  CAPSTAN_RUNS_AT_ONCE: numberSetting({ whole: true, min: 1, max: 10_000 }).default(500),
  CAPSTAN_DATABASE_CONNECTIONS: numberSetting({ whole: true, min: 4, max: 1000 }).default(20),
  CAPSTAN_DATABASE_WAIT_SECONDS: numberSetting({ min: 0, max: 3600 }).default(30),
  CAPSTAN_PUBLIC_HOSTS: list.default([]),
  CAPSTAN_TRUSTED_PROXIES: list
    .refine((entries) => entries.every(isAddressRange), "must be addresses or ranges such as 10.0.0.0/8")
    .optional(),
  CAPSTAN_PUBLIC_URL: z
    .url({ protocol: /^https?$/ })
    .refine((url) => new URL(url).pathname === "/", "must be an origin such as https://capstan.example.com")
    .optional(),
  CAPSTAN_OIDC_ISSUER: z
    .url({ protocol: /^https?$/ })
    .refine(isProtected, "must be https, except on loopback")
    .optional(),
  CAPSTAN_OIDC_CLIENT_ID: z.string().min(1).optional(),
  CAPSTAN_OIDC_CLIENT_SECRET: secret,
  CAPSTAN_OIDC_SCOPES: z
    .string()
    .regex(/\bopenid\b/, "must contain openid")
    .default("openid email profile"),
  CAPSTAN_OIDC_TRUST_EMAIL: z.stringbool().default(false),
  CAPSTAN_OIDC_ADMINS: adminClaims.default([]),
  CAPSTAN_OIDC_RECHECK_SECONDS: numberSetting({ whole: true, min: 0, max: 86_400 }).default(60),
  CAPSTAN_LOGIN_HOURS: numberSetting({ above: 0, max: 8760 }).default(12),
  CAPSTAN_CLIENT_DOCUMENTS: z.enum(["on", "off"]).default("on"),
  CAPSTAN_ALLOWED_ORIGINS: origins.default([]),
  CAPSTAN_ROUTE_TIER: z.enum(["auto", "static", "minilm"]).default("auto"),
  CAPSTAN_EXECUTOR_ID: z
    .string()
    .regex(/^[\w.-]{1,80}$/)
    .optional(),
  CAPSTAN_CODING_AGENT_FOLDERS: list.default([]),
  CAPSTAN_HARNESS_AS_SERVER: list.default([]),
  CAPSTAN_HARNESS_WAIT_SECONDS: numberSetting({ above: 0, max: 86_400 }).default(600),
  CAPABILITY_TELEMETRY_LOG_FILE: z.string().min(1).optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: z.url().optional(),
  OTEL_EXPORTER_OTLP_HEADERS: pairs.optional(),
  OTEL_SERVICE_NAME: z.string().min(1).default("capstan"),
  ANTHROPIC_API_KEY: secret,
  ANTHROPIC_BASE_URL: z.url().optional(),
  OPENAI_API_KEY: secret,
  OPENAI_BASE_URL: z.url().optional(),
  GOOGLE_GENERATIVE_AI_API_KEY: secret,
  GEMINI_API_KEY: secret,
  GOOGLE_BASE_URL: z.url().optional(),
  OPENROUTER_API_KEY: secret,
  GROQ_API_KEY: secret,
  MISTRAL_API_KEY: secret,
  DEEPSEEK_API_KEY: secret,
  XAI_API_KEY: secret,
  OPENAI_COMPATIBLE_BASE_URL: z.url().optional(),
  OPENAI_COMPATIBLE_API_KEY: secret,
  LOCALAI_BASE_URL: z.url().optional(),
  SEARXNG_URL: z.url().optional(),
  CAPSTAN_TEAMS_WEBHOOK: z.url({ protocol: /^https?$/ }).optional(),
  BRAVE_API_KEY: secret,
  TAVILY_API_KEY: secret,
});

/** Cookies and redirects need an address that nobody who connects can choose. */
function whatPeopleNeed({
  HOST,
  CAPSTAN_OIDC_ISSUER,
  CAPSTAN_OIDC_CLIENT_ID,
  CAPSTAN_PUBLIC_URL,
}: z.output<typeof Environment>): string | undefined {
  if (CAPSTAN_OIDC_ISSUER === undefined) return undefined;
  if (CAPSTAN_OIDC_CLIENT_ID === undefined)
    return "CAPSTAN_OIDC_CLIENT_ID must be set with CAPSTAN_OIDC_ISSUER";
  if (CAPSTAN_PUBLIC_URL === undefined && !LOOPBACK_HOSTS.has(HOST))
    return "CAPSTAN_PUBLIC_URL must be set with CAPSTAN_OIDC_ISSUER";
  if (CAPSTAN_PUBLIC_URL !== undefined && !isProtected(CAPSTAN_PUBLIC_URL))
    return "CAPSTAN_PUBLIC_URL must be https with CAPSTAN_OIDC_ISSUER";
  return undefined;
}

export type Settings = z.output<typeof Environment> & {
  /** What `${NAME}` stands for in capability documents, MCP sources and imported APIs. */
  readonly secrets: Readonly<Record<string, string>>;
};

/** Only these are available to documents: a document must not be able to name any variable of the server. */
const SECRET_PREFIX = "CAPSTAN_SECRET_";

/** An empty variable counts as unset, as in shells and compose files. */
export function parseSettings(environment: Record<string, string | undefined>): Result<Settings> {
  const given = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value.trim() !== ""),
  );
  const misspelt = misspeltSettings(given, Object.keys(Environment.shape));
  const read = readInput(Environment, given);
  const faults = [...misspelt, read.ok ? whatPeopleNeed(read.value) : read.where];
  const where = faults.filter((fault) => fault !== undefined).join("; ") || undefined;
  if (where !== undefined || !read.ok) return fail("settings_invalid", { where: where ?? "" });
  return ok({ ...read.value, secrets: secretsOf(given) });
}

function secretsOf(given: Record<string, string | undefined>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(given)
      .filter(([name]) => name.startsWith(SECRET_PREFIX) && name !== "CAPSTAN_SECRET_HOSTS")
      .map(([name, value]) => [name.slice(SECRET_PREFIX.length), value ?? ""]),
  );
}

/** A secret for a host that the operator bound it to; nobody else can choose the host. */
export function boundSecrets({ secrets, CAPSTAN_SECRET_HOSTS }: Settings) {
  const bound = new Set(CAPSTAN_SECRET_HOSTS.map((entry) => entry.toLowerCase()));
  return (name: string, host: string | undefined): string | undefined => {
    const isBound = host !== undefined && bound.has(`${name}=${host}`.toLowerCase());
    return isBound ? secrets[name] : undefined;
  };
}

/** Every value that must not be shown: keys, signing secrets, secrets for documents, and the database password. */
export function secretValues({
  secrets,
  DATABASE_URL,
  DATABASE_DIRECT_URL,
  DATABASE_REPLICA_URL,
  ...settings
}: Settings): string[] {
  const keys = Object.entries(settings).filter(([name]) =>
    /_API_KEY$|^CAPSTAN_SECRET$|_CLIENT_SECRET$/.test(name),
  );
  const passwords = [DATABASE_URL, DATABASE_DIRECT_URL, DATABASE_REPLICA_URL].map((url) =>
    url && URL.canParse(url) ? new URL(url).password : "",
  );
  const headers = Object.values(settings.OTEL_EXPORTER_OTLP_HEADERS ?? {});
  return [
    ...keys.map(([, value]) => String(value ?? "")),
    ...Object.values(secrets),
    ...headers,
    ...Object.values(settings.CAPSTAN_CONNECTION_CLIENTS).map(({ client_secret = "" }) => client_secret),
    ...passwords,
  ].filter(Boolean);
}

/** For links to the studio that are made without a request. */
export const ownOrigin = ({ CAPSTAN_PUBLIC_URL, HOST, PORT }: Settings): string =>
  new URL(CAPSTAN_PUBLIC_URL ?? `http://${HOST.includes(":") ? `[${HOST}]` : HOST}:${PORT}`).origin;
