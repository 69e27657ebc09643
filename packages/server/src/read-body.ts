/** A request's body as bytes, refused as soon as it is too large; nothing beyond the limit is kept in memory. */
import { fail, ok, type Result } from "@capstan/core";

export async function readBody(request: Request, limitBytes: number): Promise<Result<Uint8Array>> {
  const declared = Number(request.headers.get("content-length") ?? 0);
  if (declared > limitBytes) return fail("body_too_large", { limitBytes });
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of request.body ?? []) {
    size += part.byteLength;
    if (size > limitBytes) return fail("body_too_large", { limitBytes });
    parts.push(part);
  }
  return ok(Buffer.concat(parts));
}
