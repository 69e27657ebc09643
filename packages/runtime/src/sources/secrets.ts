/**
 * `${NAME}` in a document is a secret: from the agent's config, or from the server's settings. Its value is only used in
 * requests; responses are searched for it, because some services echo what they were sent.
 */
import { fail, ok, type Refused, type Result } from "@capstan/core";

export type SecretLookup = (name: string) => string | undefined;

/**
 * The operator's secrets, each bound to hosts: whoever chooses the host (an agent's config, a template in a
 * document) must not get a secret meant for another one. `mcp:<name>` is the "host" of an MCP command.
 */
export type BoundSecrets = (name: string, host: string | undefined) => string | undefined;

/** `${NAME}`, or `${base64(USER:PASSWORD)}` for basic authentication. */
const REFERENCE = /\$\{(?:([A-Za-z_]\w*)|base64\(([A-Za-z_]\w*):([A-Za-z_]\w*)\))\}/g;
const SHORTEST = 6; // shorter ones would match ordinary words

export function secretNames(text: string): string[] {
  return [...text.matchAll(REFERENCE)].flatMap(([, ...names]) => names.filter((name) => name !== undefined));
}

/** Looks like a reference but is not, such as `${my key}`; it would be sent literally. */
export function badReference(text: string): string | undefined {
  return /\$\{[^}]*\}?/.exec(text.replaceAll(REFERENCE, ""))?.[0];
}

export function fillSecrets(
  texts: Readonly<Record<string, string>>,
  lookup: SecretLookup,
): Result<Record<string, string>> {
  const filled: Record<string, string> = {};
  for (const [key, text] of Object.entries(texts)) {
    const missing = secretNames(text).find((name) => lookup(name) === undefined);
    if (missing !== undefined) return fail("secret_missing", { name: missing });
    filled[key] = text.replaceAll(REFERENCE, (_, name?: string, user?: string, password?: string) =>
      name === undefined ? base64Pair(lookup, user, password) : (lookup(name) ?? ""),
    );
  }
  return ok(filled);
}

function base64Pair(lookup: SecretLookup, user = "", password = ""): string {
  return Buffer.from(`${lookup(user) ?? ""}:${lookup(password) ?? ""}`).toString("base64");
}

/** First the agent's config, then the server's settings for this host. */
export function secretLookup(
  config: unknown,
  settings: BoundSecrets | undefined,
  host: string | undefined,
): SecretLookup {
  const own = config !== null && typeof config === "object" ? (config as Record<string, unknown>) : {};
  return (name) => {
    const value = Object.hasOwn(own, name) ? own[name] : undefined;
    return value === undefined || value === null || value === "" ? settings?.(name, host) : String(value);
  };
}

/** Redacts every secret that `texts` refer to, in its usual encodings, from what is shown. */
export function redactor(texts: readonly string[], lookup: SecretLookup): (text: string) => string {
  const values = texts.flatMap(secretNames).map((name) => lookup(name) ?? "");
  const pairs = texts.flatMap((text) =>
    [...text.matchAll(REFERENCE)].flatMap(([, name, user, password]) =>
      name === undefined ? [base64Pair(lookup, user, password)] : [],
    ),
  );
  const forms = [...values, ...pairs]
    .filter((value) => value.length >= SHORTEST)
    .flatMap((value) => [
      value,
      encodeURIComponent(value),
      JSON.stringify(value).slice(1, -1),
      Buffer.from(value).toString("base64"),
    ]);
  return (text) => forms.reduce((shown, form) => shown.replaceAll(form, "[secret]"), text);
}

export function redactedFailure(refused: Refused, redact: (text: string) => string): Refused {
  const { failure } = refused;
  return { ok: false, failure: { ...failure, message: redact(failure.message) } };
}
