/** Dependencies of the catalog's tools, passed in by the server; if one is missing, its tools explain how to configure it. */
import {
  fail,
  type JsonSchema,
  type JsonValue,
  type Refused,
  type Result,
  type ToolContext,
} from "@capstan/core";

export interface GenerateRequest {
  readonly system: string;
  readonly prompt: string;
  /** If given, the answer is an object of this shape. */
  readonly schema?: JsonSchema;
  readonly signal: AbortSignal;
}

export interface Generated {
  readonly text: string;
  readonly object?: JsonValue;
  /** The model that answered, in readable form. */
  readonly model: string;
}

export interface SearchHit {
  readonly title: string;
  readonly url: string;
  readonly snippet: string;
}

export interface StoredDocument {
  readonly id: string;
  readonly title: string;
  readonly text: string;
}

export interface DocumentStore {
  add(owner: string, document: { title: string; text: string }): Promise<StoredDocument>;
  search(owner: string, query: string, limit: number): Promise<(StoredDocument & { score: number })[]>;
  count(owner: string): Promise<number>;
}

/** The operator's own OpenAI-compatible server, such as Ollama. */
export interface LocalAi {
  readonly baseUrl: string;
  models(signal: AbortSignal): Promise<Result<string[]>>;
  chat(request: {
    prompt: string;
    model?: string | undefined;
    signal: AbortSignal;
  }): Promise<Result<Generated>>;
}

export interface MadeMedia {
  readonly mediaType: string;
  readonly base64: string;
}

/** Whose budgets pay for the model's output. */
export type CatalogSpender = Pick<ToolContext, "user" | "agentId" | "signal">;

export interface CatalogParts {
  /** Returns undefined while there is only the demo model: it cannot give a real answer. */
  generate?: (request: GenerateRequest, spender: CatalogSpender) => Promise<Result<Generated> | undefined>;
  search?: (query: string, limit: number, signal: AbortSignal) => Promise<Result<SearchHit[]>>;
  image?: (prompt: string, spender: CatalogSpender) => Promise<Result<MadeMedia>>;
  video?: (prompt: string, spender: CatalogSpender) => Promise<Result<MadeMedia>>;
  localAi?: LocalAi;
  documents?: DocumentStore;
  /** Signs outgoing webhooks. */
  sign?: (body: string) => string;
}

export const DEMO_MODEL = "capstan/offline (demo)";

export const notConfigured = (what: string, nextStep: string): Refused =>
  fail("not_available", { what, why: "it is not configured", nextStep });
