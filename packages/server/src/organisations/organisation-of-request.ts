/**
 * Which organisation a request is for: a key or token names it, otherwise the header does, otherwise the studio's cookie.
 * Naming one grants nothing: the request goes to that organisation's application, which knows only its own callers.
 */
import { fail, ok, type Result } from "@capstan/core";
import { FIRST_ORGANISATION, organisationNamedBy } from "@capstan/runtime";
import { bearer } from "../auth/authenticate.ts";
import { cookieIn } from "../auth/login-cookie.ts";

const ORGANISATION_HEADER = "capstan-organisation";

/** People sign in at the server, and clients that log in are known to all of it. */
const OF_THE_SERVER =
  /^\/(login|logout|register|health|ready|\.well-known)(\/|$)|^\/v1\/logins\/(device(\/poll)?|end)$/;
/** These name it in the form that they send. */
const BY_FORM = /^\/(token|revoke)$/;
const MOST_FORM_CHARS = 100_000;

export interface Named {
  readonly id: string;
  /** A cookie outlives its organisation: then it names the first one, where a key or header names nothing. */
  readonly isStrict: boolean;
}

export async function organisationOf(request: Request, origin: string): Promise<Result<Named>> {
  const { pathname } = new URL(request.url);
  if (OF_THE_SERVER.test(pathname)) return named(FIRST_ORGANISATION);
  if (BY_FORM.test(pathname) && request.method === "POST") return named(await namedInForm(request));
  return namedInHeaders(request.headers, origin);
}

function namedInHeaders(headers: Headers, origin: string): Result<Named> {
  const sent = bearer(headers.get("authorization") ?? undefined);
  const asked = headers.get(ORGANISATION_HEADER) ?? undefined;
  const ofKey = sent && organisationOfKey(sent);
  if (asked !== undefined && ofKey !== undefined && asked !== ofKey)
    return fail("organisation_unclear", { why: "the key belongs to another one than the header names" });
  const strict = ofKey ?? asked;
  if (strict !== undefined) return named(strict);
  const cookie = cookieIn(headers.get("cookie") ?? "", "organisation", origin);
  return ok({ id: cookie ?? FIRST_ORGANISATION, isStrict: false });
}

const named = (id: string): Result<Named> => ok({ id, isStrict: true });

/** Keys and tokens of the first organisation name none; a login and the server's own user are everywhere. */
function organisationOfKey(text: string): string | undefined {
  const found = organisationNamedBy(text);
  if (found !== undefined) return found;
  return /^(cap|agent|run|access|scim)_/.test(text) ? FIRST_ORGANISATION : undefined;
}

/** The body stays readable for the handler. */
async function namedInForm(request: Request): Promise<string> {
  const length = Number(request.headers.get("content-length") ?? Number.POSITIVE_INFINITY);
  if (!(length <= MOST_FORM_CHARS)) return FIRST_ORGANISATION;
  const form = new URLSearchParams(await request.clone().text());
  const texts = ["code", "refresh_token", "token"].map((name) => form.get(name) ?? "");
  return texts.map(organisationNamedBy).find((id) => id !== undefined) ?? FIRST_ORGANISATION;
}
