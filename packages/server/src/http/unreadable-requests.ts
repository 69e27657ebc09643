/**
 * Requests that never reach the application: invalid HTTP, an unknown method, an `Expect` header. Node would answer
 * them without a body.
 */
import { maxHeaderSize, type Server, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { type Failure, fail } from "@capstan/core";
import { problemResponse } from "./problem.ts";

interface ParseError extends Error {
  readonly code?: string;
  readonly rawPacket?: Buffer;
}

export function answerUnreadable(server: Server): void {
  server.on("clientError", (error: ParseError, socket) => {
    void end(socket, failureOf(error));
  });
  server.on("checkExpectation", async (request, response) => {
    const given = (request.headers.expect ?? "").slice(0, 100);
    const answer = problemResponse(fail("expectation_failed", { given }).failure);
    response.writeHead(answer.status, { ...Object.fromEntries(answer.headers), connection: "close" });
    response.end(await answer.text());
  });
}

/** A line with a method and a version is HTTP, whatever the method is. */
const REQUEST_LINE = /^([!#$%&'*+.^_`|~\w-]{1,40}) \S+ HTTP\/1\.[01]\r?\n/;

export function failureOf({ code, rawPacket }: ParseError): Failure {
  if (code === "HPE_HEADER_OVERFLOW") return fail("headers_too_large", { limitBytes: maxHeaderSize }).failure;
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return fail("request_too_slow", {}).failure;
  const method =
    code === "HPE_INVALID_METHOD"
      ? REQUEST_LINE.exec(rawPacket?.toString("latin1", 0, 4096) ?? "")?.[1]
      : undefined;
  if (method !== undefined) return fail("method_unknown", { method }).failure;
  return fail("request_unreadable", { why: WHY[code ?? ""] ?? "its first line or a header is malformed" })
    .failure;
}

const WHY: Readonly<Record<string, string>> = {
  HPE_INVALID_METHOD: "it does not begin with a method",
  HPE_INVALID_URL: "its address has characters that are not escaped",
  HPE_INVALID_CONTENT_LENGTH: "its content-length is not one number",
  HPE_UNEXPECTED_CONTENT_LENGTH: "it has both content-length and transfer-encoding, or content-length twice",
  HPE_INVALID_TRANSFER_ENCODING: "its transfer-encoding is not `chunked`",
  HPE_INVALID_CHUNK_SIZE: "the size of a part of its body is not a number",
  HPE_INVALID_HEADER_TOKEN: "the name or the value of a header has a character that none may have",
  HPE_INVALID_EOF_STATE: "it ended in the middle",
};

/** Nothing is written once a response has started: it would be read as part of it. */
async function end(socket: Duplex, failure: Failure): Promise<void> {
  if (!socket.writable || ("bytesWritten" in socket && Number(socket.bytesWritten) > 0)) {
    socket.destroy();
    return;
  }
  const answer = problemResponse(failure);
  const body = await answer.text();
  const lines = [
    `HTTP/1.1 ${failure.status} ${STATUS_CODES[failure.status] ?? ""}`,
    "connection: close",
    `content-type: ${answer.headers.get("content-type")}`,
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  socket.end(`${lines.join("\r\n")}\r\n\r\n${body}`);
}
