import { describe, expect, test } from "vitest";
import { isRegistered, isUsableRedirect, receiverOf, withAnswer } from "./redirect-uris.ts";

describe("a redirect address", () => {
  test.each([
    ["https://claude.ai/api/mcp/auth_callback", true],
    ["http://127.0.0.1:8000/callback", true],
    ["http://localhost/callback", true],
    ["http://[::1]:9/callback", true],
    ["cursor://anysphere.cursor-retrieval/oauth/callback", true],
    ["com.example.app:/callback", true],
    ["http://example.com/callback", false],
    ["javascript:alert(1)", false],
    ["data:text/html,hi", false],
    ["file:///etc/passwd", false],
    ["https://user:pass@example.com/", false],
    ["https://example.com/#part", false],
    ["unknown-program://callback", false],
    ["http://127.0.0.1.evil.example/callback", false],
    [`https://example.com/${"x".repeat(2000)}`, false],
    ["no address", false],
  ])("%s may be registered: %s", (uri, usable) => {
    expect(isUsableRedirect(uri)).toBe(usable);
  });

  test.each([
    ["https://a.example/cb", "https://a.example/cb", true],
    ["https://a.example/cb", "https://a.example/cb/", false],
    ["https://a.example/cb", "https://a.example/cb?x=1", false],
    ["https://a.example:443/cb", "https://a.example:8443/cb", false],
    ["http://127.0.0.1:1/cb", "http://127.0.0.1:65000/cb", true],
    ["http://localhost/cb", "http://localhost:3334/cb", true],
    ["http://127.0.0.1:1/cb", "http://127.0.0.1:1/other", false],
    ["http://127.0.0.1:1/cb", "http://localhost:1/cb", false],
    ["javascript:alert(1)", "javascript:alert(1)", false],
  ])("registered %s, given %s: %s", (registered, given, matches) => {
    expect(isRegistered(given, [registered])).toBe(matches);
  });

  test("is shown as who receives the code", () => {
    expect(receiverOf("https://claude.ai/cb")).toBe("claude.ai");
    expect(receiverOf("http://localhost:1/cb")).toBe("a program on your machine (localhost:1)");
    expect(receiverOf("cursor://x/cb")).toBe("the program behind cursor://");
  });

  test("keeps its own query when the answer is added", () => {
    expect(withAnswer("https://a.example/cb?keep=1", { code: "c d", state: undefined })).toBe(
      "https://a.example/cb?keep=1&code=c+d",
    );
  });
});
