/**
 * web_fetch: one web page or file, as Markdown, as text or unchanged. It adds nothing to the prompt: its schema is enough.
 *
 * The guard against private addresses is not here: it lives in `context.fetch`, the only network a built-in may use.
 */
import { type Capability, defineCapability, defineTool, ok, type Result } from "@capstan/core";
import { z } from "zod";
import { CAPABILITY_IDS } from "../capability-ids.ts";
import { isHtmlType, isTextType, looksBinary, mediaType, sniffType } from "../web/content-kind.ts";
import { decodeText } from "../web/decode-text.ts";
import { type ReadBody, readBody } from "../web/read-body.ts";
import { responseFilename } from "../web/response-filename.ts";

const TIMED_OUT = "[..more content timed out...]"; // the specification's exact text

export interface WebFetchLimits {
  /** From the request to the response headers. */
  readonly firstByteTimeoutMs: number;
  /** From the headers to the last byte. */
  readonly bodyTimeoutMs: number;
  readonly maxBytes: number;
}

const LIMITS: WebFetchLimits = {
  firstByteTimeoutMs: 1_000,
  bodyTimeoutMs: 30_000,
  maxBytes: 5 * 1024 * 1024,
};
const REDIRECTS_MS = 10_000; // the guard follows at most ten redirects, each with its own first-byte timeout

const input = z.object({
  url: z.url({ protocol: /^https?$/ }).describe("The URL to fetch, must start with http:// or https://"),
  method: z.enum(["GET", "HEAD"]).default("GET").describe("HTTP method, defaults to GET"),
  as_markdown: z.boolean().default(false).describe("Convert HTML response to markdown format"),
  as_text: z
    .boolean()
    .default(false)
    .describe("Convert HTML response to plain text (ignored if as_markdown is true)"),
});
type Input = z.output<typeof input>;

const output = z.object({
  url: z.string(),
  status_code: z.int(),
  content_type: z.string(),
  size: z.int(),
  last_modified: z.string().optional(),
  filename: z.string().optional(),
  format: z.enum(["markdown", "text", "raw"]),
  content: z.string().optional(),
  truncated: z.boolean(),
  error: z.string().optional(),
});
type Output = z.output<typeof output>;

export function webFetchCapability(limits: Partial<WebFetchLimits> = {}): Capability {
  return defineCapability({
    id: CAPABILITY_IDS.WEB_FETCH,
    name: "Web Fetch",
    description: "Fetch content from URLs and convert HTML responses to markdown or plain text.",
    icon: "globe",
    category: "Network",
    tools: [webFetchTool({ ...LIMITS, ...limits })],
    routing: {
      triggers: [
        "fetch this url",
        "read this web page",
        "open the link",
        "download the page",
        "get the content of a website",
        "summarize this article",
        "summarize this url",
        "convert a web page to markdown",
        "extract text from a page",
      ],
      tags: ["web", "url", "page", "website", "http", "html", "markdown", "link", "article", "fetch"],
      domain: "web",
      actions: ["fetch", "read", "download", "open", "extract"],
      needsUrl: true,
    },
  });
}

function webFetchTool(limits: WebFetchLimits) {
  return defineTool({
    name: "web_fetch",
    risk: "read",
    reads: "untrusted",
    reachesAnyAddress: true,
    description:
      "Fetch content from a URL. HTML can be converted to markdown or plain text. For binary content (images, PDFs, audio, video) only the metadata is returned.",
    input,
    output,
    idempotent: true,
    timeoutMs: limits.bodyTimeoutMs + limits.firstByteTimeoutMs + REDIRECTS_MS + 4_000,
    async run(request, { fetch, signal }): Promise<Result<Output>> {
      const { url, method } = request;
      const accept = "text/html,application/xhtml+xml,text/markdown;q=0.9,*/*;q=0.8";
      const { firstByteTimeoutMs } = limits;
      const answer = await fetch(url, { method, headers: { accept }, firstByteTimeoutMs, signal });
      if (!answer.ok) return answer;
      const response = answer.value;
      const declared = mediaType(response.headers.get("content-type"));
      if (method === "HEAD" || (declared !== "" && !isTextType(declared))) {
        await response.body?.cancel();
        return ok(
          method === "HEAD" ? metadata(request, response) : binary(request, response, declaredSize(response)),
        );
      }
      const body = await readBody(url, response.body, { ...limits, timeoutMs: limits.bodyTimeoutMs }, signal);
      return body.ok ? ok(await textual(request, response, body.value)) : body;
    },
  });
}

async function textual(request: Input, response: Response, { bytes, ended }: ReadBody): Promise<Output> {
  if (looksBinary(bytes)) return binary(request, response, bytes.length);
  const contentType = response.headers.get("content-type");
  const type = mediaType(contentType) || sniffType(bytes);
  const text = decodeText(bytes, contentType, isHtmlType(type) || type.endsWith("xml"));
  const { format, content } = await convertPage(text, isHtmlType(type), request, response.url || request.url);
  return {
    ...metadata(request, response),
    content_type: contentType ?? type,
    size: bytes.length,
    format,
    content: content + suffix(ended, bytes.length),
    truncated: ended !== "whole",
  };
}

async function convertPage(text: string, isHtml: boolean, { as_markdown, as_text }: Input, baseUrl: string) {
  if (!isHtml || !(as_markdown || as_text)) return { format: "raw" as const, content: text };
  const { htmlToMarkdown, htmlToText } = await import("../html/html-to-markdown.ts");
  return as_markdown
    ? { format: "markdown" as const, content: htmlToMarkdown(text, { baseUrl }) }
    : { format: "text" as const, content: htmlToText(text, { baseUrl }) };
}

function suffix(ended: ReadBody["ended"], size: number): string {
  if (ended === "timeout") return `\n${TIMED_OUT}`;
  return ended === "size" ? `\n[..more content after ${size} bytes left out...]` : "";
}

function binary(request: Input, response: Response, size: number): Output {
  const answer = metadata(request, response);
  const error = `Binary content is not supported: ${answer.content_type} cannot be returned as text. Only its metadata is returned.`;
  return { ...answer, size, error };
}

function metadata({ url }: Input, response: Response): Output {
  const { headers } = response;
  const lastModified = headers.get("last-modified");
  const filename = responseFilename(headers.get("content-disposition"), response.url || url);
  return {
    url,
    status_code: response.status,
    content_type: headers.get("content-type") ?? "application/octet-stream",
    size: declaredSize(response),
    ...(lastModified !== null && { last_modified: lastModified }),
    ...(filename !== undefined && { filename }),
    format: "raw",
    truncated: false,
  };
}

/** The declared size; zero if there is none. */
function declaredSize({ headers }: Response): number {
  const size = Number(headers.get("content-length") ?? 0);
  return Number.isSafeInteger(size) && size >= 0 ? size : 0;
}
