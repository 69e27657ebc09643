/**
 * What keys and tokens look like: a word for the kind, the organisation if it is not the first, and 256 random bits.
 * The organisation only says where to look: a token that is not stored there is invalid.
 */
import { randomBytes } from "node:crypto";
import type { Database } from "../db/database.ts";

const BYTES = 32;
const NAMED = /^(?:cap|agent|run|access|refresh|code|scim)_([a-z][a-z0-9-]{1,29})\.[\w-]{43}$/;

export const newBearerText = (prefix: string, { organisation }: Pick<Database, "organisation">): string =>
  `${prefix}${organisation ? `${organisation.id}.` : ""}${randomBytes(BYTES).toString("base64url")}`;

/** The organisation that a key or token names; undefined for the first one's. */
export const organisationNamedBy = (text: string): string | undefined => NAMED.exec(text)?.[1];
