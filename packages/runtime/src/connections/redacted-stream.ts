/** Removes secrets from a body, also across chunk borders: some services echo the token they were sent. */

const SHORTEST = 6; // shorter ones would match ordinary words
const SHOWN = Buffer.from("[secret]");

/** The forms in which services repeat a secret: as it is, URL-encoded, in base64. */
export function formsOf(secrets: readonly string[]): string[] {
  const forms = secrets
    .filter((secret) => secret.length >= SHORTEST)
    .flatMap((secret) => [
      secret,
      encodeURIComponent(secret),
      JSON.stringify(secret).slice(1, -1),
      Buffer.from(secret).toString("base64"),
    ]);
  return [...new Set(forms)].sort((a, b) => b.length - a.length);
}

export const redactText = (text: string, forms: readonly string[]): string =>
  forms.reduce((shown, form) => shown.replaceAll(form, "[secret]"), text);

export function redactedStream(forms: readonly string[]): TransformStream<Uint8Array, Uint8Array> {
  const needles = forms.map((form) => Buffer.from(form));
  let kept: Buffer = Buffer.alloc(0);
  return new TransformStream({
    transform(chunk, controller) {
      const clean = replaced(Buffer.concat([kept, chunk]), needles);
      const held = heldBack(clean, needles);
      if (clean.length > held) controller.enqueue(new Uint8Array(clean.subarray(0, clean.length - held)));
      kept = clean.subarray(clean.length - held);
    },
    flush(controller) {
      if (kept.length > 0) controller.enqueue(new Uint8Array(kept));
    },
  });
}

function replaced(bytes: Buffer, needles: readonly Buffer[]): Buffer {
  return needles.reduce((rest, needle) => {
    const parts: Buffer[] = [];
    let from = 0;
    for (let at = rest.indexOf(needle); at >= 0; at = rest.indexOf(needle, from)) {
      parts.push(rest.subarray(from, at), SHOWN);
      from = at + needle.length;
    }
    return from === 0 ? rest : Buffer.concat([...parts, rest.subarray(from)]);
  }, bytes);
}

/** How many bytes at the end may be the start of a secret: only these wait for the next chunk. */
function heldBack(bytes: Buffer, needles: readonly Buffer[]): number {
  const lengths = needles.map((needle) => {
    const most = Math.min(needle.length - 1, bytes.length);
    for (let length = most; length > 0; length--) {
      if (bytes.subarray(bytes.length - length).equals(needle.subarray(0, length))) return length;
    }
    return 0;
  });
  return Math.max(0, ...lengths);
}
