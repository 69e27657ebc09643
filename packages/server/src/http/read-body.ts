/** A request's body as bytes; nothing beyond the limit is kept in memory. */
import { fail, ok, type Result } from "@capstan/core";

const MOST_READ_AWAY_BYTES = 64 * 1024 * 1024;
const READ_AWAY_MS = 10_000;

export async function readBody(request: Request, limitBytes: number): Promise<Result<Uint8Array>> {
  const declared = Number(request.headers.get("content-length") ?? 0);
  if (declared > limitBytes) {
    await readAway(request);
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

/** A proxy that is still sending when the answer comes and the connection ends tells its client 502, not what was wrong. */
export async function readAway({ body }: Request): Promise<void> {
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
    // whoever sent it is gone
  } finally {
    clearTimeout(late);
  }
}
