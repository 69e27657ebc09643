/**
 * Config fields that choose where requests go, which only an admin sets: they could send an operator's secret to any host.
 * A field counts by its schema, its name or its value. A single word or a number is not recognised as a host unless the
 * schema or the name says so, since it could be anything.
 */
import type { AgentSpec } from "../agent.ts";
import type { Capability } from "../capability.ts";
import type { JsonSchema } from "../schema.ts";
import { schemasAt, schemasOfPart } from "./config-schema.ts";

type CapabilityRefs = AgentSpec["capabilities"];

/** What these configs choose, as text. */
export function chosenHosts(
  capabilities: CapabilityRefs,
  capabilityOf: (ref: CapabilityRefs[number]) => Capability | undefined,
): string[] {
  return capabilities.flatMap((ref) => {
    const schema = capabilityOf(ref)?.config?.jsonSchema;
    return hostFields(ref.config, schemasAt(schema, schema), schema).map(
      (path) => `config of "${ref.id}": "${path}" chooses a host`,
    );
  });
}

/** The paths of such fields, however deep. */
function hostFields(config: unknown, schemas: readonly JsonSchema[], root: JsonSchema | undefined): string[] {
  if (config === null || typeof config !== "object") return [];
  return Object.entries(config).flatMap(([name, value]) => {
    const ofField = schemasOfPart(schemas, name, root);
    if (choosesHost(name, value, ofField)) return [name];
    return hostFields(value, ofField, root).map((path) => `${name}.${path}`);
  });
}

const HOST_FORMATS = new Set(["uri", "url", "hostname", "ipv4", "ipv6", "uri-template"]);
const HOST_NAME =
  /(^|_|-)(url|uri|host|host_?name|(sub_?)?domain|endpoint|origin|server|proxy|webhook)(e?s)?$/i;
const HOST_NAME_CAMEL =
  /(Url|URL|Uri|URI|Host|Host[Nn]ame|[Dd]omain|Endpoint|Origin|Server|Proxy|Webhook)(e?s)?$/;
const ADDRESS = /^\s*((https?|wss?):|[/\\]{2})/i;
/** `evil.test`, `user@evil.test:8080/path`, in whatever script; or an IP address. */
const BARE_HOST =
  /^\s*([^\s/\\?#]*@)?(([\p{L}\p{N}_-]+\.)+(xn--[a-z0-9-]+|\p{L}[\p{L}\p{M}]+)\.?|\d+\.\d+\.\d+\.\d+|\[[0-9a-f:.]+\])(:\d*)?([/\\?#].*)?\s*$/isu;
const FILE_NAME =
  /^[^@:/\\?#]+\.(csv|docx|gif|html|jpe?g|json|log|pdf|png|pptx|svg|toml|txt|xlsx|xml|ya?ml)$/i;
/** Set by sources for fields that are part of an address; a capability's own schema may say `false` of a field. */
export const CHOOSES_HOST = "x-capstan-chooses-host";

function choosesHost(name: string, value: unknown, schemas: readonly JsonSchema[]): boolean {
  if (schemas.some((schema) => Array.isArray(schema.enum) && schema.enum.includes(value))) return false; // among known values
  if (schemas.some((schema) => schema[CHOOSES_HOST] === true)) return true;
  if (typeof value === "string" && ADDRESS.test(value)) return true;
  if (HOST_NAME.test(name) || HOST_NAME_CAMEL.test(name)) return true;
  if (schemas.some(({ format }) => HOST_FORMATS.has(String(format)))) return true;
  const isDeclared = schemas.some((schema) => schema[CHOOSES_HOST] === false || schema.format === "email");
  return typeof value === "string" && !isDeclared && isBareHost(value);
}

/** Compared as a URL's host is: full-width letters and other dots mean the same. */
function isBareHost(value: string): boolean {
  const plain = value.normalize("NFKC").replaceAll(/[\u3002\uff0e\uff61]/g, ".");
  return BARE_HOST.test(plain) && !FILE_NAME.test(plain.trim());
}
