import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { allowList, checkUrl } from "./url-policy.ts";

const nobody = allowList([]);

describe("checkUrl", () => {
  test.each([
    "ftp://example.com/",
    "file:///etc/passwd",
    "javascript:alert(1)",
    "data:text/html,x",
    "//example.com",
    "example.com",
    "http://",
    "http://exa mple.com/",
    `https://example.com/${"x".repeat(9_000)}`,
  ])("%.40s is not a URL to fetch", (url) => {
    expect(checkUrl(url, nobody)).toMatchObject({ failure: { code: "url_invalid" } });
  });

  test.each([
    ["http://127.0.0.1/", "loopback"],
    ["http://2130706433/", "loopback"],
    ["http://0x7f000001/", "loopback"],
    ["http://0177.0.0.1/", "loopback"],
    ["http://127.1/", "loopback"],
    ["http://①②⑦.0.0.1/", "loopback"],
    ["http://0/", "this host"],
    ["http://[::1]/", "loopback"],
    ["http://[::ffff:127.0.0.1]/", "IPv4"],
    ["http://[64:ff9b::10.0.0.1]/", "NAT64"],
    ["http://169.254.169.254/latest/meta-data", "link-local"],
    ["http://user:secret@example.com/", "user name or password"],
    ["http://example.com:25/", "port 25"],
    ["http://example.com:6667/", "port 6667"],
  ])("refuses %s: %s", (url, why) => {
    const result = checkUrl(url, nobody);
    expect(result).toMatchObject({ failure: { code: "url_refused", message: expect.stringContaining(why) } });
    expect(JSON.stringify(result)).not.toContain("secret");
  });

  test.each([
    "https://example.com/",
    "http://example.com:8080/a?b#c",
    "http://1.1.1.1/",
    "http://[2606:4700::1]/",
  ])("lets %s pass", (url) => {
    expect(checkUrl(url, nobody)).toMatchObject({ ok: true });
  });

  test("refuses a private address in every spelling a URL allows", () => {
    const privateAddress = fc.tuple(fc.constantFrom(10, 127), fc.nat(255), fc.nat(255), fc.nat(255));
    fc.assert(
      fc.property(privateAddress, fc.nat(5), ([a, b, c, d], spelling) => {
        const whole = ((a * 256 + b) * 256 + c) * 256 + d;
        const spellings = [
          `${a}.${b}.${c}.${d}`,
          `${whole}`,
          `0x${whole.toString(16)}`,
          `0${whole.toString(8)}`,
          `0x${a.toString(16)}.0${b.toString(8)}.${c * 256 + d}`,
          `[::ffff:${a}.${b}.${c}.${d}]`,
        ];
        expect(checkUrl(`http://${spellings[spelling]}/`, nobody)).toMatchObject({
          failure: { code: "url_refused" },
        });
      }),
    );
  });
});

describe("allowList", () => {
  test("a host is allowed on every port, a host with a port on that one", () => {
    const allowed = allowList(["127.0.0.1:8080", "Search.Internal", "[::1]:99", "[fd00::1]"]);
    const verdicts = [
      "http://127.0.0.1:8080/",
      "http://2130706433:8080/",
      "http://[::1]:99/",
      "http://[fd00::1]:25/",
      "http://127.0.0.1:8081/",
      "http://127.0.0.1/",
      "http://[::1]/",
    ].map((url) => checkUrl(url, allowed).ok);
    expect(verdicts).toEqual([true, true, true, true, false, false, false]);
    expect([
      allowed("search.internal", 1),
      allowed("search.internal.", 1),
      allowed("x.search.internal", 1),
    ]).toEqual([true, true, false]);
  });

  test.each(["", "http://host", "host/path", "::1", "host:99999", "a b", "user@host"])(
    "throws on the invalid entry %j",
    (entry) => {
      expect(() => allowList([entry])).toThrow(/host/);
    },
  );
});
