/** What one caller would take from everybody: the links, logins and registrations that need no key, and client documents. */
import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { type TestProvider, testProvider } from "../../../../tools/openid-provider.ts";
import { freshPglite } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";

interface Asked {
  readonly path: string;
  readonly from: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

/** A request from another address of this machine: to the server it is another caller. */
function statusFrom(url: string, { path, from, body, headers = {} }: Asked): Promise<number> {
  return new Promise((done, reject) => {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const sent = request(
      url + path,
      {
        method: text === undefined ? "GET" : "POST",
        localAddress: from,
        headers: { ...(text !== undefined && { "content-type": "application/json" }), ...headers },
      },
      (answer) => {
        answer.resume();
        answer.on("end", () => done(answer.statusCode ?? 0));
      },
    );
    sent.on("error", reject);
    sent.end(text);
  });
}

const REGISTRATION = { redirect_uris: ["https://app.example/back"], client_name: "an app" };
const ROUTES: readonly (readonly [string, Omit<Asked, "from">, number])[] = [
  ["shared sessions", { path: "/v1/shared", headers: { "capstan-link": "x".repeat(43) } }, 404],
  ["device logins", { path: "/v1/logins/device", body: { device: "a laptop" } }, 201],
  ["registrations of clients", { path: "/register", body: REGISTRATION }, 201],
];
const MORE_THAN_ANY_LIMIT = 700;

let op: TestProvider;
async function start(environment: Record<string, string> = {}): Promise<TestServer> {
  const server = await testServer(await freshPglite(), {
    CAPSTAN_OIDC_ISSUER: op.issuer,
    CAPSTAN_OIDC_CLIENT_ID: op.clientId,
    CAPSTAN_OIDC_CLIENT_SECRET: op.clientSecret,
    ...environment,
  });
  await op.allow(server.url);
  return server;
}

/** Asks until it is refused, as somebody who wants to block others would. */
async function exhaust(ask: (round: number) => Promise<number>): Promise<number> {
  for (let round = 1; round <= MORE_THAN_ANY_LIMIT; round++) if ((await ask(round)) === 429) return round;
  return Number.POSITIVE_INFINITY;
}

beforeAll(async () => {
  op = await testProvider([{ sub: "alice", email: "alice@example.com", email_verified: true }]);
});
afterAll(() => op?.close());

describe("a caller who uses up what one may ask of", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await start();
  });
  afterAll(() => server?.stop());

  test.each(ROUTES)("%s blocks nobody but itself", async (_, asked, usual) => {
    const from = (address: string) => statusFrom(server.url, { ...asked, from: address });
    expect(await exhaust(() => from("127.0.0.2"))).toBeLessThan(MORE_THAN_ANY_LIMIT);
    expect(await from("127.0.0.2")).toBe(429);
    expect(await from("127.0.0.3")).toBe(usual);
  });

  test.each(ROUTES)("%s is not another caller by a forwarded address that it makes up", async (_, asked) => {
    const made = (round: number) =>
      statusFrom(server.url, {
        ...asked,
        from: "127.0.0.4",
        headers: { ...asked.headers, "x-forwarded-for": `203.0.113.${round % 250}` },
      });
    expect(await exhaust(made)).toBeLessThan(MORE_THAN_ANY_LIMIT);
  });
});

describe("behind a proxy that the operator named", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await start({ CAPSTAN_TRUSTED_PROXIES: "127.0.0.5,10.0.0.0/8" });
  });
  afterAll(() => server?.stop());

  test.each(ROUTES)(
    "%s are counted by the address the proxy adds, whatever the caller sent before it",
    async (_, asked, usual) => {
      const by = (forwarded: string) =>
        statusFrom(server.url, {
          ...asked,
          from: "127.0.0.5",
          headers: { ...asked.headers, "x-forwarded-for": forwarded },
        });
      const made = (round: number) => by(`198.51.100.${round % 250}, 203.0.113.9, 10.1.2.3`);
      expect(await exhaust(made)).toBeLessThan(MORE_THAN_ANY_LIMIT);
      expect(await by("203.0.113.10")).toBe(usual);
    },
  );

  test("all addresses of one IPv6 network are one caller", async () => {
    const [, asked, usual] = ROUTES[2] ?? expect.unreachable();
    const by = (forwarded: string) =>
      statusFrom(server.url, { ...asked, from: "127.0.0.5", headers: { "x-forwarded-for": forwarded } });
    expect(await exhaust((round) => by(`2001:db8:7:${round.toString(16)}::1`))).toBeLessThan(
      MORE_THAN_ANY_LIMIT,
    );
    expect(await by("2001:db8:8::1")).toBe(usual);
  });
});

test("who makes the server read many clients' documents does not keep others from their own", async () => {
  const server = await testServer(await freshPglite());
  onTestFinished(server.stop);
  const key = async (owner: string) => {
    const made = await server.call("POST", "/v1/keys", { name: owner, owner, rights: ["run"] });
    return { authorization: `Bearer ${made.body.key}` };
  };
  const [eve, mia] = [await key("eve@example.com"), await key("mia@example.com")];
  const review = async (round: number, headers: Record<string, string>) => {
    const request = {
      response_type: "code",
      client_id: `https://127.0.0.1:9/${round}.json`,
      redirect_uri: "https://app.example/back",
      code_challenge: "a".repeat(43),
      code_challenge_method: "S256",
    };
    return (await server.call("POST", "/v1/client-logins/review", { request }, headers)).status;
  };
  expect(await exhaust((round) => review(round, eve))).toBeLessThan(MORE_THAN_ANY_LIMIT);
  expect(await review(MORE_THAN_ANY_LIMIT + 1, mia)).not.toBe(429);
});
