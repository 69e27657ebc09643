/**
 * A client that signs its token requests (RFC 7523, `private_key_jwt`), such as ChatGPT. Its public keys are where its
 * document says. Signatures are not remembered: the code or refresh token beside each is itself valid only once.
 */
import { type GuardedFetch, ok, type Result } from "@capstan/core";
import type { JSONWebKeySet } from "jose";
import type { KnownClient } from "./known-client.ts";

export const SIGNATURE_TYPE = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
export const SIGNING_ALGORITHMS = ["RS256", "PS256", "ES256", "EdDSA"];
const MOST_AGE = "10 minutes";
const KEYS_MS = 10_000;

/** The client that a signature names, which nothing has proven yet. */
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
  fetch: GuardedFetch,
  { id, keysAt }: KnownClient,
  signature: string,
  audience: string[],
): Promise<string | undefined> {
  if (keysAt === undefined) return "the client's document names no keys";
  const keys = await readKeys(fetch, keysAt);
  if (!keys.ok) return `the client's keys could not be read: ${keys.failure.message}`;
  const { createLocalJWKSet, jwtVerify } = await import("jose");
  try {
    await jwtVerify(signature, createLocalJWKSet(keys.value), {
      issuer: id,
      subject: id,
      audience,
      algorithms: SIGNING_ALGORITHMS,
      requiredClaims: ["exp", "iat"],
      maxTokenAge: MOST_AGE,
    });
    return undefined;
  } catch (error) {
    return `client_assertion is not valid: ${error instanceof Error ? error.message : error}`;
  }
}

async function readKeys(fetch: GuardedFetch, url: string): Promise<Result<JSONWebKeySet>> {
  const headers = { accept: "application/json" };
  const signal = AbortSignal.timeout(KEYS_MS);
  const answer = await fetch(url, { headers, signal, redirects: "refuse" });
  if (!answer.ok) return answer;
  const keys: unknown = await answer.value.json().catch(() => undefined);
  return ok(isKeySet(keys) ? keys : { keys: [] });
}

const isKeySet = (value: unknown): value is JSONWebKeySet =>
  Array.isArray((Object(value) as { keys?: unknown }).keys);
