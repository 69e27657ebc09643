import type { Context } from "hono";
import { Hono } from "hono";
import { expect, test } from "vitest";
import { callerAddresses } from "./caller-address.ts";

async function seen(peer: string, forwarded: string | undefined, proxies?: readonly string[], url?: string) {
  const addressOf = callerAddresses({
    CAPSTAN_TRUSTED_PROXIES: proxies && [...proxies],
    CAPSTAN_PUBLIC_URL: url,
  });
  const app = new Hono().get("/", (c: Context) => c.text(addressOf(c)));
  const headers: Record<string, string> = forwarded === undefined ? {} : { "x-forwarded-for": forwarded };
  const answer = await app.request("/", { headers }, { incoming: { socket: { remoteAddress: peer } } });
  return answer.text();
}

const PROXIES = ["10.0.0.0/8", "::1"];
test.each([
  ["192.0.2.1", undefined, PROXIES, "192.0.2.1"],
  ["192.0.2.1", "203.0.113.9", PROXIES, "192.0.2.1"],
  ["10.0.0.1", "203.0.113.9", PROXIES, "203.0.113.9"],
  ["::ffff:10.0.0.1", "203.0.113.9", PROXIES, "203.0.113.9"],
  ["10.0.0.1", "198.51.100.1, 203.0.113.9, 10.9.9.9", PROXIES, "203.0.113.9"],
  ["10.0.0.1", "203.0.113.9:4711", PROXIES, "203.0.113.9"],
  ["10.0.0.1", "[2001:db8:1:2::3]:4711", PROXIES, "2001:db8:1::/48"],
  ["10.0.0.1", "unknown", PROXIES, "10.0.0.1"],
  ["10.0.0.1", "203.0.113.9, unknown", PROXIES, "10.0.0.1"],
  ["10.0.0.1", "", PROXIES, "10.0.0.1"],
  ["::1", "203.0.113.9", PROXIES, "203.0.113.9"],
  ["2001:db8::1", undefined, PROXIES, "2001:db8:0::/48"],
  ["fe80::1%eth0", undefined, PROXIES, "fe80:0:0::/48"],
  ["127.0.0.1", "203.0.113.9", [], "127.0.0.1"],
])("from %s, forwarded for %s: counted as %s", async (peer, forwarded, proxies, counted) => {
  expect(await seen(peer, forwarded, proxies)).toBe(counted);
});

test("without the setting, a proxy on this machine counts only where the server has a public address", async () => {
  expect(await seen("127.0.0.1", "203.0.113.9")).toBe("127.0.0.1");
  const url = "https://capstan.example";
  expect(await seen("127.0.0.1", "203.0.113.9", undefined, url)).toBe("203.0.113.9");
  expect(await seen("192.0.2.1", "203.0.113.9", undefined, url)).toBe("192.0.2.1");
});
