/**
 * Bookkeeping of a two-way JSON-RPC line protocol: which request an answer belongs to.
 *
 * Both sides number their requests from 0, so the two directions are kept apart. Works for recordings and live runs, because
 * sent lines are reported through `onSent` in both cases.
 */
import { asObject, asText, type JsonObject } from "../lines/json-line.ts";

export type RpcId = string | number;

export type RpcMessage =
  | { readonly kind: "request"; readonly id: RpcId; readonly method: string; readonly params: JsonObject }
  | { readonly kind: "notification"; readonly method: string; readonly params: JsonObject }
  | { readonly kind: "result"; readonly method: string | undefined; readonly result: JsonObject }
  | { readonly kind: "error"; readonly method: string | undefined; readonly error: RpcError };

export interface RpcError {
  readonly code: number | undefined;
  readonly message: string;
}

export class RpcBook {
  readonly #prefix: JsonObject;
  /** Our requests. Kept after the answer, so that an answer which comes twice still has its question. */
  readonly #asked = new Map<RpcId, string>();
  #nextId = 0;

  /** `prefix` is `{ jsonrpc: "2.0" }`, or nothing for the dialect that leaves it out. */
  constructor(prefix: JsonObject = {}) {
    this.#prefix = prefix;
  }

  request(method: string, params: unknown): string {
    return JSON.stringify({ ...this.#prefix, id: this.#nextId++, method, params });
  }

  notification(method: string, params?: unknown): string {
    return JSON.stringify({ ...this.#prefix, method, params });
  }

  result(id: RpcId, result: unknown): string {
    return JSON.stringify({ ...this.#prefix, id, result });
  }

  refusal(id: RpcId, message: string): string {
    return JSON.stringify({ ...this.#prefix, id, error: { code: -32601, message } });
  }

  /** Remembers a request of ours; its method, if it is one. */
  sent(record: JsonObject): string | undefined {
    const method = asText(record.method);
    if (method !== undefined && isId(record.id)) this.#asked.set(record.id, method);
    return method;
  }

  /** A message from the other side. An answer to an unknown request has no method. */
  received(record: JsonObject): RpcMessage | undefined {
    const method = asText(record.method);
    const params = asObject(record.params) ?? {};
    if (method !== undefined) {
      return isId(record.id)
        ? { kind: "request", id: record.id, method, params }
        : { kind: "notification", method, params };
    }
    if (!isId(record.id)) return undefined;
    const asked = this.#asked.get(record.id);
    const error = asObject(record.error);
    if (error) return { kind: "error", method: asked, error: rpcError(error) };
    return { kind: "result", method: asked, result: asObject(record.result) ?? {} };
  }
}

const isId = (id: unknown): id is RpcId => typeof id === "string" || typeof id === "number";

function rpcError(error: JsonObject): RpcError {
  const code = typeof error.code === "number" ? error.code : undefined;
  const detail = asText(asObject(error.data)?.details) ?? asText(error.data);
  const message = asText(error.message) ?? "The request failed.";
  return { code, message: detail === undefined ? message : `${message}: ${detail}` };
}
