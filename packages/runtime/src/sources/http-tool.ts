/** A tool that is one HTTP operation: used by declarative and OpenAPI capabilities. Its network is `context.fetch`. */
import {
  type AnyTool,
  type ConnectionNeed,
  fail,
  type JsonValue,
  ok,
  type Result,
  type Schema,
  type ToolContext,
  type ToolPolicy,
  type ToolRisk,
} from "@capstan/core";
import type { DeclaredReads, DeclaredWrites } from "@capstan/core/internal";
import { readAnswer } from "./http-answer.ts";
import { noFiles } from "./http-body.ts";
import { buildRequest, type HttpOperation, serverUrl } from "./http-request.ts";
import { type BoundSecrets, redactedFailure, redactor, secretLookup, secretNames } from "./secrets.ts";

export interface HttpToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly input: Schema;
  readonly operation: HttpOperation;
  readonly policy: ToolPolicy;
  readonly scopes: readonly string[];
  readonly timeoutMs: number;
  readonly idempotent: boolean;
  /** Where the method does not say it. */
  readonly risk?: ToolRisk;
  readonly reads?: DeclaredReads;
  readonly writes?: DeclaredWrites;
  /** Accounts of the user that it can authenticate with, where no secret is set. */
  readonly connections?: readonly ConnectionNeed[] | undefined;
  /** The part of the response to return, as a JSON pointer. */
  readonly pick?: string | undefined;
  /** Secrets of the server's settings, for all agents. */
  readonly settings?: BoundSecrets | undefined;
}

const SAFE = new Set(["GET", "HEAD", "OPTIONS"]);
const takesKey = ({ method, withoutKey }: HttpOperation): boolean => !SAFE.has(method) && !withoutKey;

export function httpTool(definition: HttpToolDefinition): AnyTool {
  const { operation, settings, pick, connections = [], ...tool } = definition;
  const { headers, query, method } = operation;
  const withSecrets = [{ headers, query }, ...(operation.credentials ?? [])].flatMap((values) => [
    ...Object.values(values.headers),
    ...Object.values(values.query),
  ]);
  const named = withSecrets.flatMap(secretNames);
  const hasSecret = (config: unknown): boolean => {
    const lookup = secretLookup(config, settings, hostOf(operation.server, recordOf(config)));
    return named.some((name) => lookup(name) !== undefined);
  };
  return {
    ...tool,
    requiresContext: false,
    usesSecrets: (config) => hasSecret(config),
    connections: (config) => (hasSecret(config) ? [] : connections),
    endpoint: { method, path: operation.path },
    async run(input: Record<string, unknown>, context: ToolContext): Promise<Result<JsonValue>> {
      const config = recordOf(context.config);
      const secret = secretLookup(config, settings, hostOf(operation.server, config));
      const redact = redactor(withSecrets, secret);
      const request = await buildRequest(withAccount(operation, context), input, {
        secret,
        config,
        readFile: context.fileStore ? (path) => readFile(context, path) : noFiles,
      });
      if (!request.ok) return request;
      const { url, body, headers: own } = request.value;
      const once = takesKey(operation) ? { "idempotency-key": context.idempotencyKey } : {};
      const answer = await context.fetch(url, {
        method,
        headers: withoutEmptyKey({ ...once, ...own }),
        ...(body !== undefined && { body }),
        signal: context.signal,
        redirects: "refuse", // another host is not declared, and the key in the headers is not meant for it
      });
      if (!answer.ok) return redactedFailure(answer, redact);
      const read = await readAnswer(answer.value, { host: new URL(url).host, redact, pick });
      return read.ok ? ok(read.value) : redactedFailure(read, redact);
    },
  };
}

/** A document that sets the header to "" leaves it out, for a service that refuses it. */
function withoutEmptyKey({ "idempotency-key": key, ...others }: Record<string, string>) {
  return key ? { ...others, "idempotency-key": key } : others;
}

/** The gate adds the credential of the user's account, so no other is required. */
const withAccount = (operation: HttpOperation, { connections = [] }: ToolContext): HttpOperation =>
  connections.length === 0
    ? operation
    : { ...operation, credentials: [...(operation.credentials ?? []), { headers: {}, query: {} }] };

const recordOf = (config: unknown): Record<string, unknown> => (config ?? {}) as Record<string, unknown>;

function hostOf(server: string, config: Readonly<Record<string, unknown>>): string | undefined {
  const url = serverUrl(server, config);
  return url.ok ? url.value.host : undefined;
}

async function readFile({ fileStore }: ToolContext, path: string): Promise<Result<Uint8Array>> {
  return fileStore ? fileStore.read(path) : fail("session_required", { tool: "a file upload" });
}
