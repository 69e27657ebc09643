/** Which server an operation calls. Variables in its address become settings of the capability. */
import { isRecord, listOf, type OpenApiDocument, textOf } from "./openapi-document.ts";
import type { FoundOperation } from "./openapi-operation.ts";
import { short } from "./openapi-schema.ts";

export interface ServerVariable {
  readonly name: string;
  readonly default?: string;
  readonly enum?: readonly string[];
  readonly description?: string;
  /** Whoever sets it chooses the host. */
  readonly isInHost: boolean;
}

export interface FoundServer {
  readonly template: string;
  readonly variables: readonly ServerVariable[];
  /** Undefined while it depends on an agent's config. */
  readonly host: string | undefined;
}

/** What an agent must set when the document names no server. */
const BASE_URL: ServerVariable = {
  name: "BASE_URL",
  isInHost: true,
  description: "The address of the service, such as https://api.example.com/v1; its document names none.",
};

export function readServer(
  document: OpenApiDocument,
  { operation, pathItem }: FoundOperation,
  { server, origin }: { server?: string | undefined; origin?: string | undefined },
): FoundServer {
  const declared = [operation.servers, pathItem.servers, document.root.servers]
    .map(listOf)
    .find((list) => list.length > 0);
  const first = document.resolve(declared?.[0]);
  const url = server ?? textOf(first?.url) ?? "/";
  const template = absolute(url, origin);
  if (template === undefined)
    return { template: `{${BASE_URL.name}}`, variables: [BASE_URL], host: undefined };
  const variables = server === undefined && isRecord(first?.variables) ? first.variables : {};
  const named = [...new Set([...template.matchAll(/\{([^{}]+)\}/g)].map(([, name = ""]) => name))];
  const [host = template] = /^https?:\/\/[^/?#]*/i.exec(template) ?? []; // a template that starts with a variable is one
  const read = named.map((name) => ({
    ...readVariable(name, document.resolve(variables[name])),
    isInHost: host.includes(`{${name}}`),
  }));
  return { template, variables: read, host: hostOf(template, read) };
}

/** A relative address is resolved against the document's URL; without one, the host is unknown. */
function absolute(url: string, origin: string | undefined): string | undefined {
  const trimmed = url.trim().replace(/^\/\//, "https://");
  if (/^https?:\/\//i.test(trimmed)) return trimmed;
  if (/^\{[^{}]+\}/.test(trimmed)) return trimmed;
  const base = origin === undefined ? null : URL.parse(origin);
  return base && /^https?:$/.test(base.protocol) ? (URL.parse(trimmed, base)?.href ?? undefined) : undefined;
}

function readVariable(
  name: string,
  declared: Readonly<Record<string, unknown>> | undefined,
): Omit<ServerVariable, "isInHost"> {
  const choices = listOf(declared?.enum).filter((value): value is string => typeof value === "string");
  const usual = textOf(declared?.default);
  const about = textOf(declared?.description);
  return {
    name,
    ...(usual !== undefined && { default: usual }),
    ...(choices.length > 0 && { enum: choices }),
    ...(about !== undefined && { description: short(about) }),
  };
}

function hostOf(template: string, variables: readonly ServerVariable[]): string | undefined {
  const filled = variables.reduce(
    (text, variable) => text.replaceAll(`{${variable.name}}`, variable.default ?? "{"),
    template,
  );
  return filled.includes("{") ? undefined : URL.parse(filled)?.host;
}
