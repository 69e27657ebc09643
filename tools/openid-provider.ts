/**
 * A real OpenID provider (`oidc-provider`) on loopback, with people and groups that a test can change. Its page has a
 * button for each person; `signInBy` acts as a browser with a cookie jar.
 */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from "jose";
import { type Adapter, Provider } from "oidc-provider";
import { noteIssued, tokensIn } from "./token-search.ts";

export interface TestPerson {
  readonly sub: string;
  email?: string;
  email_verified?: boolean;
  name?: string;
  groups?: string[];
}

export interface TestProvider {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** By subject; changes count from the next sign-in. */
  readonly people: Map<string, TestPerson>;
  readonly provider: Provider;
  /** What the token endpoint refuses with, instead of answering, and how often it was asked. */
  readonly tokens: { refuse: string | undefined; asked: number };
  /** The addresses of the server under test, known once it listens. */
  allow(origin: string): Promise<void>;
  /** From now on the provider signs with a key of its own that nobody has seen. */
  rotateKeys(): Promise<void>;
  /** With the provider's own key: what a token says can be anything. */
  sign(payload: JWTPayload, type?: string): Promise<string>;
  close(): Promise<void>;
}

export async function testProvider(
  people: readonly TestPerson[],
  { hasDeviceFlow = true, givesRefreshTokens = false } = {},
): Promise<TestProvider> {
  const known = new Map(people.map((person) => [person.sub, person]));
  let handle: (...both: Parameters<ReturnType<Provider["callback"]>>) => unknown = () => {};
  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = {
    client_id: "capstan",
    client_secret: "a-secret-of-the-provider-for-tests",
    grant_types: [
      "authorization_code",
      "refresh_token",
      ...(hasDeviceFlow ? ["urn:ietf:params:oauth:grant-type:device_code"] : []),
    ],
    response_types: ["code" as const],
    backchannel_logout_session_required: true,
  };
  const { privateKey } = await generateKeyPair("RS256", { extractable: true });
  const keys: JWK[] = [];
  /** Signs with this key; the ones before it stay published. */
  const withKey = (key: JWK, kid: string) => {
    keys.unshift({ ...key, alg: "RS256", use: "sig", kid });
    const made = newProvider(issuer, keys, known, hasDeviceFlow, givesRefreshTokens);
    made.on("grant.success", ({ body }) => noteIssued(...tokensIn(body)));
    return made;
  };
  const provider = withKey(await exportJWK(privateKey), "the-key");
  noteIssued(client.client_secret);
  const tokens: TestProvider["tokens"] = { refuse: undefined, asked: 0 };
  let answer = interactionsBefore(provider);
  handle = (request, response) => {
    if (request.url !== "/token") return answer(request, response);
    tokens.asked++;
    if (tokens.refuse === undefined) return answer(request, response);
    response.statusCode = 400;
    response.setHeader("content-type", "application/json");
    return response.end(JSON.stringify({ error: tokens.refuse }));
  };
  return {
    issuer,
    clientId: client.client_id,
    clientSecret: client.client_secret,
    people: known,
    provider,
    tokens,
    async allow(origin) {
      Object.assign(client, {
        redirect_uris: [`${origin}/login/callback`],
        backchannel_logout_uri: `${origin}/login/backchannel`,
      });
      await registerClient(provider, client);
    },
    async rotateKeys() {
      const { privateKey: next } = await generateKeyPair("RS256", { extractable: true });
      const rotated = withKey(await exportJWK(next), crypto.randomUUID());
      await registerClient(rotated, client);
      answer = interactionsBefore(rotated);
    },
    sign: (payload, type = "logout+jwt") =>
      new SignJWT(payload).setProtectedHeader({ alg: "RS256", kid: "the-key", typ: type }).sign(privateKey),
    close: () => closed(server),
  };
}

function registerClient(provider: Provider, client: { readonly client_id: string }): Promise<unknown> {
  const { adapter } = provider.Client as never as { adapter: Adapter };
  return Promise.resolve(adapter.upsert(client.client_id, { ...client }, 3600));
}

const closed = (server: Server): Promise<void> =>
  new Promise((done) => {
    server.close(() => done());
    server.closeAllConnections();
  });

function newProvider(
  issuer: string,
  keys: readonly JWK[],
  people: Map<string, TestPerson>,
  hasDeviceFlow: boolean,
  givesRefreshTokens: boolean,
): Provider {
  const provider: Provider = new Provider(issuer, {
    jwks: { keys: keys as never },
    cookies: { keys: ["a key for tests"] },
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name", "groups"] },
    features: {
      devInteractions: { enabled: false },
      deviceFlow: {
        enabled: hasDeviceFlow,
        userCodeConfirmSource: devicePage,
        userCodeInputSource: devicePage,
        successSource: devicePage,
      },
      backchannelLogout: { enabled: true },
      rpInitiatedLogout: { enabled: true },
    },
    fetch: (url, { method, headers, body, signal } = {}) =>
      fetch(url, { method, headers, body, signal } as RequestInit), // its own refuses loopback
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    ttl: { Session: 3600, Interaction: 600, Grant: 3600, AccessToken: 600, IdToken: 600, DeviceCode: 600 },
    pkce: { required: () => false },
    ...(givesRefreshTokens && { issueRefreshToken: () => true }),
    /** Who was taken out of `people` is gone, where refresh tokens are given. */
    findAccount: (_context, sub) =>
      givesRefreshTokens && !people.has(sub)
        ? undefined
        : { accountId: sub, claims: async () => ({ ...people.get(sub), sub }) },
    async loadExistingGrant(context) {
      const { oidc } = context;
      const grant = new provider.Grant({
        clientId: oidc.client?.clientId ?? "",
        accountId: oidc.session?.accountId ?? "",
      });
      grant.addOIDCScope("openid email profile");
      await grant.save();
      return grant;
    },
  });
  return provider;
}

const devicePage = async (context: { body: unknown }, form: unknown = ""): Promise<void> => {
  context.body = `<!doctype html><title>Device</title>${form}<button type="submit" form="op.deviceConfirmForm">Confirm</button><button type="submit" form="op.deviceInputForm">Next</button>`;
};

/** GET shows who one can be, with `?person=` one is it. */
function interactionsBefore(provider: Provider) {
  const rest = provider.callback();
  return async (...[request, response]: Parameters<typeof rest>): Promise<unknown> => {
    const url = new URL(request.url ?? "/", "http://here");
    if (!url.pathname.startsWith("/interaction/")) return rest(request, response);
    const person = url.searchParams.get("person");
    if (person === null) {
      response.setHeader("content-type", "text/html");
      const links = ["alice", "bob", "carol"].map((each) => `<a href="?person=${each}">${each}</a>`);
      return response.end(
        `<!doctype html><title>Who are you?</title>${links.join(" ")} <a href="?person=">deny</a>`,
      );
    }
    const result = person === "" ? { error: "access_denied" } : { login: { accountId: person } };
    return provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
  };
}

/** A browser's cookies, by host and port. */
export class CookieJar {
  readonly #kept = new Map<string, Map<string, string>>();

  of(origin: string): Map<string, string> {
    const kept = this.#kept.get(origin) ?? new Map<string, string>();
    this.#kept.set(origin, kept);
    return kept;
  }

  header(url: URL): string {
    return [...this.of(url.origin)].map(([name, value]) => `${name}=${value}`).join("; ");
  }

  take(url: URL, headers: Headers): void {
    for (const line of headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/max-age=0/i.test(line) || /expires=thu, 01 jan 1970/i.test(line)) this.of(url.origin).delete(name);
      else this.of(url.origin).set(name, value);
    }
  }
}

/** One request with the jar's cookies; redirects are answers. */
export async function browse(jar: CookieJar, url: URL, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  if (!headers.has("cookie")) headers.set("cookie", jar.header(url));
  const response = await fetch(url, { ...init, headers, redirect: "manual" });
  jar.take(url, response.headers);
  return response;
}

/** From /login to the address that the provider sends the browser back to; it is not opened. */
export async function comeBack(jar: CookieJar, start: URL, person: string): Promise<URL> {
  let url = start;
  for (let step = 0; step < 20; step++) {
    if (url.origin === start.origin && url.pathname === "/login/callback") return url;
    if (url.pathname.startsWith("/interaction/")) url.searchParams.set("person", person);
    const response = await browse(jar, url);
    await response.body?.cancel();
    const location = response.headers.get("location");
    if (location === null) throw new Error(`${url.href} answered ${response.status} and leads nowhere`);
    url = new URL(location, url);
  }
  throw new Error("the provider never sent the browser back");
}

/** What a person does on the provider's page: opens it with the code, confirms it, and says who they are; `""` denies. */
export async function confirmCode(page: string, person: string): Promise<void> {
  const jar = new CookieJar();
  let url = new URL(page);
  let answer = await browse(jar, url);
  let hasAnswered = false;
  for (let step = 0; step < 20; step++) {
    const location = answer.headers.get("location");
    const html = location === null ? await answer.text() : "";
    const fields = [...html.matchAll(/name="(\w+)" value="([^"]*)"/g)].map(([, name = "", value = ""]) => [
      name,
      value,
    ]);
    if (location === null && (fields.length === 0 || (person === "" && hasAnswered))) return;
    if (location === null) {
      const body = new URLSearchParams([...fields, ["confirm", "yes"]]);
      url = new URL("/device", url);
      answer = await browse(jar, url, { method: "POST", body });
    } else {
      url = new URL(location, url);
      if (url.pathname.startsWith("/interaction/")) {
        url.searchParams.set("person", person);
        hasAnswered = true;
      }
      answer = await browse(jar, url);
    }
  }
  throw new Error("the provider never stopped asking");
}
