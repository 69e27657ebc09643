/** A request's body as bytes; nothing beyond the limit is buffered. */
import { fail, ok, type Result } from "@capstan/core";

const MOST_READ_AWAY_BYTES = 64 * 1024 * 1024;
const READ_AWAY_MS = 10_000;

export async function readBody(
  request: Pick<Request, "headers" | "body">,
  limitBytes: number,
): Promise<Result<Uint8Array>> {
  const declared = Number(request.headers.get("content-length") ?? 0);
  if (declared > limitBytes) {
    await drainBody(request);
    return fail("body_too_large", { limitBytes });
  }
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of request.body ?? []) {
    size += part.byteLength;
    if (size > limitBytes) return fail("body_too_large", { limitBytes });
    parts.push(part);
  }
  return ok(Buffer.concat(parts));
}

/** If the connection closes while a proxy is still sending, it reports 502 to its client instead of the real error. */
export async function drainBody({ body }: Pick<Request, "body">): Promise<void> {
  if (!body || body.locked) return;
  const reader = body.getReader();
  const late = setTimeout(() => void reader.cancel().catch(() => {}), READ_AWAY_MS);
  try {
    for (let bytes = 0; bytes < MOST_READ_AWAY_BYTES; ) {
      const { done, value } = await reader.read();
      if (done) return;
      bytes += value.byteLength;
    }
  } catch {
    // the sender disconnected
  } finally {
    clearTimeout(late);
  }
}
