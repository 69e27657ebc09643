/** The URLs that a client can log in to, one per protocol, and their metadata documents (RFC 9728). */
import type { Context } from "hono";
import type { Settings } from "../settings/settings.ts";
import { EVERY_TOOL } from "./client-scopes.ts";

export const SURFACES = ["mcp", "a2a", "ag-ui", "ai-sdk", "openai"] as const;
export type Surface = (typeof SURFACES)[number];

export interface Resource {
  /** The form that tokens are bound to. */
  readonly url: string;
  readonly surface: Surface;
  /** Fixed by the address; otherwise the person chooses. */
  readonly agentId?: string | undefined;
}

const METADATA = "/.well-known/oauth-protected-resource";
const OF_AGENT = /^\/v1\/agents\/([^/]+)\/(a2a|ag-ui|ai-sdk)(?:\/.*)?$/;

/** The server's own address as clients see it. Behind a proxy without CAPSTAN_PUBLIC_URL, the proxy tells the scheme. */
export const publicOrigin = (c: Context, settings: Pick<Settings, "CAPSTAN_PUBLIC_URL">): string =>
  originFrom((name) => c.req.header(name), settings);

export function originFrom(
  header: (name: string) => string | undefined,
  { CAPSTAN_PUBLIC_URL }: Pick<Settings, "CAPSTAN_PUBLIC_URL">,
): string {
  if (CAPSTAN_PUBLIC_URL !== undefined) return new URL(CAPSTAN_PUBLIC_URL).origin;
  const scheme = header("x-forwarded-proto") === "https" ? "https" : "http";
  return `${scheme}://${header("host") ?? "localhost"}`;
}

/** The resource that a request or a `resource` parameter means; undefined when it is none of ours. */
export function resourceAt(origin: string, text: string): Resource | undefined {
  if (!URL.canParse(text, origin)) return undefined;
  const url = new URL(text, origin);
  if (url.origin !== new URL(origin).origin || url.hash !== "") return undefined;
  const path = url.pathname.replace(/\/$/, "");
  if (path === "/mcp" || path === "") return mcpResource(origin, url.searchParams.get("agent") ?? undefined);
  if (/^\/openai\/v1(\/|$)/.test(path)) return { url: `${origin}/openai/v1`, surface: "openai" };
  const [, agentId, surface] = OF_AGENT.exec(path) ?? [];
  if (agentId === undefined) return undefined;
  return { url: `${origin}/v1/agents/${agentId}/${surface}`, surface: surface as Surface, agentId };
}

const mcpResource = (origin: string, agentId: string | undefined): Resource => ({
  url: agentId === undefined ? `${origin}/mcp` : `${origin}/mcp?agent=${encodeURIComponent(agentId)}`,
  surface: "mcp",
  agentId,
});

export const metadataPath = (path: string): string | undefined =>
  path === METADATA || path.startsWith(`${METADATA}/`) ? path.slice(METADATA.length) || "/" : undefined;

/** The header of a 401 or 403 that tells a client where to log in; plain `Bearer` where nobody logs in. */
export function challenge(
  c: Context,
  settings: Pick<Settings, "CAPSTAN_PUBLIC_URL">,
  facts: Readonly<Record<string, string>> = {},
): string {
  const origin = publicOrigin(c, settings);
  const { pathname, search } = new URL(c.req.url);
  const resource = pathname === "/" ? undefined : resourceAt(origin, pathname + search);
  const where = resource && { resource_metadata: resource.url.replace(origin, origin + METADATA) };
  const parts = Object.entries({ ...(resource && { scope: EVERY_TOOL }), ...facts, ...where }).map(
    ([name, value]) => `${name}="${quoted(value)}"`,
  );
  return ["Bearer", parts.join(", ")].filter((part) => part !== "").join(" ");
}

const quoted = (value: string): string => value.replaceAll(/[^\x20-\x7e]/g, "?").replaceAll(/["\\]/g, "'");
