import { describe, expect, test } from "vitest";
import { type Hop, nextHop } from "./redirect.ts";

const rules = { follow: true, maxRedirects: 3 };

describe("nextHop", () => {
  test.each([
    [301, "POST", "GET"],
    [302, "POST", "GET"],
    [303, "PUT", "GET"],
    [303, "HEAD", "HEAD"],
    [307, "POST", "POST"],
    [308, "PUT", "PUT"],
    [301, "HEAD", "HEAD"],
  ])("after %d, %s becomes %s", (status, method, next) => {
    expect(redirect(hop({ method }), status, "/next")).toMatchObject({ value: { method: next } });
  });

  test("keeps the caller's headers on the same origin only", () => {
    const from = hop({ body: null });
    expect(redirect(from, 302, "/b")).toMatchObject({
      value: { headers: { authorization: "Bearer k", "x-key": "k" } },
    });
    expect(redirect(from, 302, "https://other.example/b")).toMatchObject({
      value: { headers: { accept: "text/html" } },
    });
    for (const elsewhere of ["https://other.example/", "http://example.com/", "https://example.com:444/"]) {
      expect(JSON.stringify(redirect(from, 302, elsewhere))).not.toMatch(/Bearer|x-key/);
    }
  });

  test("never sends a body to another server", () => {
    expect(redirect(hop({}), 307, "https://other.example/")).toMatchObject({
      failure: { code: "redirect_refused" },
    });
    expect(redirect(hop({}), 303, "https://other.example/")).toMatchObject({
      value: { method: "GET", body: null },
    });
  });

  test("stops after the allowed number, and immediately when not allowed to follow", () => {
    expect(nextHop(hop({}), answer(302, "/x"), 3, rules)).toMatchObject({
      failure: { code: "redirect_refused" },
    });
    expect(nextHop(hop({}), answer(302, "/x"), 0, { ...rules, follow: false })).toMatchObject({
      failure: { code: "redirect_refused", message: expect.stringContaining("/x") },
    });
  });

  test("a response without a target, or with another status, is returned", () => {
    expect(nextHop(hop({}), answer(302), 0, rules)).toBeUndefined();
    expect(nextHop(hop({}), answer(200, "/x"), 0, rules)).toBeUndefined();
    expect(nextHop(hop({}), answer(304, "/x"), 0, rules)).toBeUndefined();
  });

  test("reads a target in UTF-8", () => {
    const bytes = Buffer.from("/größe", "utf8").toString("latin1");
    expect(redirect(hop({}), 303, bytes)).toMatchObject({
      value: { url: new URL("https://example.com/gr%C3%B6%C3%9Fe") },
    });
  });
});

function hop(changes: Partial<Hop>): Hop {
  const headers = {
    accept: "text/html",
    authorization: "Bearer k",
    "x-key": "k",
    "content-type": "text/plain",
  };
  return { url: new URL("https://example.com/a"), method: "POST", headers, body: "body", ...changes };
}

const answer = (statusCode: number, location?: string) => ({
  statusCode,
  headers: location ? { location } : {},
});
const redirect = (from: Hop, status: number, location: string) =>
  nextHop(from, answer(status, location), 0, rules);
