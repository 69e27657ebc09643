/** A connection to one server. Every answer is a value, and so is a server that does not answer. */
import { type Failure, fail, ok, type Result } from "@capstan/core";

export type Fetch = (input: string, init?: RequestInit) => Promise<Response>;
/** Like `BodyInit`, which only exists in the DOM's types. */
export type RequestBody = NonNullable<RequestInit["body"]>;
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

export interface ConnectionOptions {
  /** The server's URL, such as `http://127.0.0.1:4400`; empty in a page served by the server itself. */
  readonly url?: string;
  readonly fetch?: Fetch;
  /** An API key, or a function that returns it; not required on loopback. */
  readonly key?: string | (() => string | undefined);
  /** For users in several; a key names its own. */
  readonly organisation?: string | undefined;
}

export interface CallOptions {
  readonly query?: Query | undefined;
  readonly json?: unknown;
  readonly body?: RequestBody | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

export interface Connection {
  readonly url: string;
  /** The answer on success; otherwise the server's problem document, or why it was not reached. */
  send(method: string, path: string, options?: CallOptions): Promise<Result<Response>>;
  json<T>(method: string, path: string, options?: CallOptions): Promise<Result<T>>;
}

export function connect({
  url = "",
  fetch = globalFetch,
  key,
  organisation,
}: ConnectionOptions = {}): Connection {
  const base = url.replace(/\/+$/, "");
  const keyNow = typeof key === "function" ? key : () => key;

  async function send(method: string, path: string, options: CallOptions = {}): Promise<Result<Response>> {
    const { query, json, signal } = options;
    const body = json === undefined ? options.body : JSON.stringify(json);
    const secret = keyNow();
    try {
      const response = await fetch(base + path + queryText(query), {
        method,
        headers: {
          ...(json !== undefined && { "content-type": "application/json" }),
          ...(secret && { authorization: `Bearer ${secret}` }),
          ...(organisation !== undefined && { "capstan-organisation": organisation }),
          ...options.headers,
        },
        ...(body !== undefined && { body }),
        ...(signal && { signal }),
      });
      return response.ok ? ok(response) : { ok: false, failure: await problemOf(response) };
    } catch (error) {
      return fail("server_unreachable", { url: base, why: whyOf(error) });
    }
  }

  return {
    url: base,
    send,
    async json<T>(method: string, path: string, options?: CallOptions): Promise<Result<T>> {
      const sent = await send(method, path, options);
      if (!sent.ok) return sent;
      if (sent.value.status === 204) return ok(undefined as T);
      try {
        return ok((await sent.value.json()) as T);
      } catch (error) {
        return fail("answer_unreadable", { status: sent.value.status, why: whyOf(error) });
      }
    },
  };
}

/** Browsers refuse a `fetch` called without `window`. */
const globalFetch: Fetch = (input, init) => fetch(input, init);

function queryText(query: Query | undefined): string {
  const pairs = Object.entries(query ?? {}).flatMap(([name, value]) =>
    value === undefined || value === "" ? [] : [[name, String(value)]],
  );
  return pairs.length > 0 ? `?${new URLSearchParams(pairs)}` : "";
}

async function problemOf(response: Response): Promise<Failure> {
  const text = await response.text().catch(() => "");
  const problem = parseObject(text);
  const { code, message, nextStep, details } = problem;
  if (typeof code === "string" && typeof message === "string" && typeof nextStep === "string")
    return { code, status: response.status, message, nextStep, ...(details !== undefined && { details }) };
  const { failure } = fail("answer_unreadable", { status: response.status, why: text.slice(0, 200) });
  return { ...failure, status: response.status };
}

function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return value !== null && typeof value === "object" ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

const whyOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
