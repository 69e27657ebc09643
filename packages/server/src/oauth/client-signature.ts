/**
 * A client that signs its token requests (RFC 7523, `private_key_jwt`), such as ChatGPT. Its public keys are where its
 * document says. Signatures are not remembered: the code or refresh token beside each is itself valid only once.
 */
import type { JSONWebKeySet, JWTPayload } from "jose";
import type { KnownClient } from "./known-client.ts";
import type { ReadPublished } from "./published-json.ts";

export const SIGNATURE_TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
export const SIGNING_ALGORITHMS = ["RS256", "PS256", "ES256", "EdDSA"];
const MOST_AGE = "10 minutes";

/** The client that a signature names, not yet verified. */
export async function namedClient(signature: string): Promise<string | undefined> {
  const { decodeJwt } = await import("jose");
  try {
    return decodeJwt(signature).sub;
  } catch {
    return undefined;
  }
}

/** What is wrong with it; undefined when the client holds the key. `audience`: how clients call this server. */
export async function faultInSignature(
  read: ReadPublished,
  { id, keysAt }: KnownClient,
  signature: string,
  { userEmail, audience }: { readonly userEmail: string; readonly audience: string[] },
): Promise<string | undefined> {
  if (keysAt === undefined) return "the client's document names no keys";
  const found = await read(keysAt, `keys for ${userEmail}`); // counted separately: a copied code must not stop other logins
  if (!found.ok) return `the client's keys could not be read: ${found.failure.message}`;
  const { json: keys } = found.value;
  const { createLocalJWKSet, jwtVerify } = await import("jose");
  try {
    const { payload } = await jwtVerify(signature, createLocalJWKSet(isKeySet(keys) ? keys : { keys: [] }), {
      issuer: id,
      subject: id,
      audience,
      algorithms: SIGNING_ALGORITHMS,
      requiredClaims: ["exp", "iat"],
      maxTokenAge: MOST_AGE,
    });
    return isForOthers(payload)
      ? "client_assertion names other servers, too, which could use it here"
      : undefined;
  } catch (error) {
    return `client_assertion is not valid: ${error instanceof Error ? error.message : error}`;
  }
}

const isForOthers = ({ aud }: JWTPayload): boolean => Array.isArray(aud) && aud.length > 1;

const isKeySet = (value: unknown): value is JSONWebKeySet =>
  Array.isArray((Object(value) as { keys?: unknown }).keys);
