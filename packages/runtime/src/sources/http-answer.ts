/** Converts a service's response to a tool's output: JSON as JSON, text as text, anything else as a description. */
import { fail, type JsonValue, ok, type Result } from "@capstan/core";

const TEXT_CHARS = 200_000; // about 50k tokens: more than any model needs from one call
const EXCERPT_CHARS = 1_000;
/** Headers a caller needs to continue: the location of a new resource, the next page, when to retry. */
const SHOWN_HEADERS = ["link", "location", "retry-after", "etag", "x-total-count", "x-next-page"];

export interface AnswerOptions {
  readonly host: string;
  readonly redact: (text: string) => string;
  readonly pick?: string | undefined;
}

export async function readAnswer(response: Response, options: AnswerOptions): Promise<Result<JsonValue>> {
  const { host, redact, pick } = options;
  const body = await bodyOf(response);
  if (!body.ok) return body;
  const text = typeof body.value === "string" ? redact(body.value) : body.value;
  if (!response.ok) {
    const excerpt = typeof text === "string" ? text.slice(0, EXCERPT_CHARS) : "";
    const shown = typeof text === "string" ? parsedBody(response, text) : text;
    return fail("service_refused", { host, status: response.status, excerpt, body: shown });
  }
  const value = typeof text === "string" ? parsedBody(response, text) : text;
  if (pick !== undefined) return ok(pointed(value, pick) ?? null);
  const headers = SHOWN_HEADERS.flatMap((name) => {
    const found = response.headers.get(name);
    return found === null ? [] : [[name, redact(found)] as const];
  });
  return ok({
    status: response.status,
    ...(headers.length > 0 && { headers: Object.fromEntries(headers) }),
    body: value,
  });
}

type Described = { content_type: string; size_bytes: number; note: string };

async function bodyOf(response: Response): Promise<Result<string | Described>> {
  try {
    const type = response.headers.get("content-type") ?? "";
    if (isText(type)) return ok(await response.text());
    const { byteLength } = await response.arrayBuffer();
    if (byteLength === 0) return ok("");
    return ok({ content_type: type, size_bytes: byteLength, note: "Binary content is not shown." });
  } catch (error) {
    const why = error instanceof Error ? error.message : "the response was cut off";
    return fail("network_error", { url: response.url, why });
  }
}

const isText = (type: string) =>
  type === "" ||
  /^text\/|[/+](json|xml|yaml|javascript|x-www-form-urlencoded|x-ndjson|graphql)\b/i.test(type);

function parsedBody(response: Response, text: string): JsonValue {
  if (text === "") return null;
  const type = response.headers.get("content-type") ?? "";
  if (/[/+]json\b/i.test(type) || type === "") {
    try {
      return JSON.parse(text) as JsonValue;
    } catch {
      // declared as JSON but invalid: returned as text
    }
  }
  return text.length > TEXT_CHARS ? `${text.slice(0, TEXT_CHARS)}\n[cut: ${text.length} characters]` : text;
}

/** RFC 6901. Undefined when nothing is there. */
export function pointed(value: unknown, pointer: string): JsonValue | undefined {
  let at: unknown = value;
  for (const part of pointer.split("/").slice(1)) {
    const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
    if (at === null || typeof at !== "object" || !Object.hasOwn(at, key)) return undefined;
    at = (at as Record<string, unknown>)[key];
  }
  return at as JsonValue | undefined;
}
