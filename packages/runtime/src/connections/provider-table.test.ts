import { describe, expect, test } from "vitest";
import { CONNECTION_PROVIDERS, lackingScopes, mayReceive } from "./provider-table.ts";

const provider = (id: string) => {
  const found = CONNECTION_PROVIDERS.find((row) => row.id === id);
  if (!found) throw new Error(id);
  return found;
};

describe("where a token may go", () => {
  test.each([
    ["google", "https://gmail.googleapis.com/gmail/v1", true],
    ["google", "http://gmail.googleapis.com/gmail/v1", false],
    ["google", "https://googleapis.com.evil.example/", false],
    ["google", "https://evilgoogleapis.com/", false],
    ["google", "https://gmail.googleapis.com:8443/", false],
    ["github", "https://api.github.com/user", true],
    ["github", "https://api.github.com.evil.example/", false],
    ["github", "https://github.com/", false],
    ["github", "https://api.github.com@evil.example/", false],
    ["microsoft", "https://graph.microsoft.com/v1.0/me", true],
    ["microsoft", "https://GRAPH.microsoft.com/v1.0/me", true],
  ])("%s at %s: %s", (id, url, expected) => {
    expect(mayReceive(provider(id), new URL(url))).toBe(expected);
  });

  test("without TLS only to a host that the operator named with its port", () => {
    const own = (...hosts: string[]) => mayReceive({ hosts }, new URL("http://127.0.0.1:4000/"));
    expect(own("127.0.0.1:4000")).toBe(true);
    expect(own("127.0.0.1", "127.0.0.1:4001")).toBe(false);
  });
});

describe("which scopes an account lacks", () => {
  test.each([
    ["microsoft", ["Mail.Read"], ["https://graph.microsoft.com/Mail.Read"], []],
    ["github", ["public_repo", "read:org"], ["repo"], ["read:org"]],
    ["google", ["a", "b"], ["a"], ["b"]],
  ])("%s: wants %j, has %j", (id, wanted, have, lacking) => {
    expect(lackingScopes(provider(id), wanted, have)).toEqual(lacking);
  });
});

test.each(CONNECTION_PROVIDERS)(
  "$id has addresses over TLS, hosts, and PKCE or a reason",
  ({ hosts, oauth }) => {
    expect(hosts.length).toBeGreaterThan(0);
    expect([oauth?.authorizationUrl, oauth?.tokenUrl].every((url) => url?.startsWith("https://"))).toBe(true);
  },
);
