/** The response for callers: a standard `Response` with a decoded, bounded body. */
import { Readable } from "node:stream";
import { fail, ok, type Result } from "@capstan/core";
import type { Dispatcher } from "undici";
import { boundedBody, contentEncodings } from "./bounded-body.ts";
import type { Hop } from "./redirect.ts";
import type { RequestClock } from "./request-clock.ts";
import { shownUrl } from "./url-policy.ts";

const BODILESS = new Set([204, 205, 304]); // `Response` refuses a body with these

export function guardedResponse(
  { statusCode, headers, body }: Dispatcher.ResponseData,
  { url, method }: Hop,
  maxBytes: number,
  clock: RequestClock,
): Result<Response> {
  const encodings = contentEncodings([headers["content-encoding"] ?? []].flat().join(","));
  const fault = answerFault(statusCode, encodings);
  if (!encodings || fault) {
    body.on("error", () => undefined).destroy(); // aborting a body emits an "error", and an unhandled one ends the process
    return clock.end(fail("network_error", { url: shownUrl(url), why: fault }));
  }
  const answerHeaders = copied(headers);
  let stream: ReadableStream | null = null;
  if (method === "HEAD" || BODILESS.has(statusCode)) {
    body.dump().then(
      () => clock.end(),
      () => clock.end(),
    );
  } else {
    stream = Readable.toWeb(boundedBody(body, encodings, maxBytes, () => clock.end())) as ReadableStream;
    if (encodings.length > 0) {
      answerHeaders.delete("content-encoding"); // the body is decoded, so these headers no longer apply
      answerHeaders.delete("content-length");
    }
  }
  const answer = new Response(stream, { status: statusCode, headers: answerHeaders });
  // `Response` reserves this field for its own fetch; callers resolve links against it.
  return ok(Object.defineProperty(answer, "url", { value: url.href }));
}

function answerFault(statusCode: number, encodings: readonly string[] | undefined): string {
  if (!encodings) return "its content-encoding is not supported";
  return statusCode > 599 ? `it answered with the unknown status ${statusCode}` : "";
}

function copied(headers: Dispatcher.ResponseData["headers"]): Headers {
  const copy = new Headers();
  for (const [name, values] of Object.entries(headers)) {
    for (const value of [values ?? []].flat()) copy.append(name, value);
  }
  return copy;
}
