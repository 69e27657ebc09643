/** The claims we store about a person: lists of strings, without claims that people can edit themselves. */
import { createHash } from "node:crypto";
import type { Claims } from "@capstan/core/internal";
import { z } from "zod";

/** About the token, or freely editable by the person: no role may depend on them. */
const LEFT_OUT = new Set([
  "iss",
  "aud",
  "azp",
  "exp",
  "iat",
  "nbf",
  "jti",
  "nonce",
  "sid",
  "auth_time",
  "at_hash",
  "c_hash",
  "s_hash",
  "name",
  "given_name",
  "family_name",
  "middle_name",
  "nickname",
  "preferred_username",
  "profile",
  "picture",
  "website",
  "gender",
  "birthdate",
  "zoneinfo",
  "locale",
  "phone_number",
  "phone_number_verified",
  "address",
  "updated_at",
  "email",
  "email_verified",
]);
/** `email` is kept when it is verified. */
export const givesNoRole = (claim: string): boolean => claim !== "email" && LEFT_OUT.has(claim);

const MOST_VALUES = 2000;
const MOST_CHARS = 300;
const MOST_DEPTH = 3;

type Said = Readonly<Record<string, unknown>>;

/** Their address, if the provider verified it: an unverified one is whatever they typed. */
export function verifiedEmail({ email, email_verified }: Said, trustEmail: boolean): string | undefined {
  const read = z.email().max(254).safeParse(email);
  if (!read.success) return undefined;
  const isVerified = email_verified === true || email_verified === "true";
  return isVerified || (trustEmail && email_verified === undefined) ? read.data.toLowerCase() : undefined;
}

/** `realm_access: {roles: [..]}` becomes `realm_access.roles`. */
export function claimsOf(said: Said, email: string | undefined): Claims {
  const pairs = Object.entries(said)
    .filter(([name]) => !LEFT_OUT.has(name))
    .flatMap(([name, value]) => pairsOf(name, value, 0))
    .filter((pair) => pair.every((text) => text.length <= MOST_CHARS))
    .slice(0, MOST_VALUES);
  const claims = new Map<string, string[]>();
  for (const [name, value] of pairs) claims.set(name, [...(claims.get(name) ?? []), value]);
  if (email !== undefined) claims.set("email", [email]);
  return Object.fromEntries(claims);
}

function pairsOf(name: string, value: unknown, depth: number): [name: string, value: string][] {
  if (isText(value)) return [[name, String(value)]];
  if (Array.isArray(value)) return value.filter(isText).map((each) => [name, String(each)]);
  if (value === null || typeof value !== "object" || depth >= MOST_DEPTH) return [];
  return Object.entries(value).flatMap(([key, each]) => pairsOf(`${name}.${key}`, each, depth + 1));
}

const isText = (value: unknown): boolean =>
  typeof value === "string" || typeof value === "number" || typeof value === "boolean";

/** The name of someone without a verified address: always the same for the same person. */
export function addressFor(issuer: string, subject: string): string {
  const { hostname } = new URL(issuer);
  const host = /^[a-z0-9.-]+\.[a-z]{2,}$/.test(hostname) ? hostname : "provider.invalid";
  const short = createHash("sha256").update(`${issuer}\n${subject}`).digest("hex").slice(0, 24);
  return `person-${short}@${host}`;
}

export function nameOf({ name, preferred_username }: Said, email: string): string {
  const given = [name, preferred_username].find((each) => typeof each === "string" && each.trim() !== "");
  return String(given ?? email).slice(0, 200);
}
