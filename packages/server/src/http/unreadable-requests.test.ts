import { expect, test } from "vitest";
import { failureOf } from "./unreadable-requests.ts";

const parseError = (code: string, text = "") =>
  failureOf(Object.assign(new Error(code), { code, rawPacket: Buffer.from(text, "latin1") }));

test("an unknown method of HTTP is named", () => {
  expect(parseError("HPE_INVALID_METHOD", "FOO /v1/agents HTTP/1.1\r\nhost: a\r\n\r\n")).toMatchObject({
    status: 501,
    code: "method_unknown",
    message: expect.stringContaining('"FOO"'),
  });
});

test.each([
  ["HPE_INVALID_METHOD", "\x16\x03\x01\x02\x00\x01", 400, "request_unreadable"], // a client that speaks TLS
  ["HPE_INVALID_CONTENT_LENGTH", "", 400, "request_unreadable"],
  ["HPE_SOMETHING_NEW", "", 400, "request_unreadable"],
  ["HPE_HEADER_OVERFLOW", "", 431, "headers_too_large"],
  ["ERR_HTTP_REQUEST_TIMEOUT", "", 408, "request_too_slow"],
])("%s of %j is %d with a next step", (code, text, status, ours) => {
  expect(parseError(code, text)).toMatchObject({ status, code: ours, nextStep: expect.stringMatching(/\w/) });
});
