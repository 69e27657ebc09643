import { describe, expect, test } from "vitest";
import { connect, type Fetch } from "./connection.ts";

describe("a connection to a server", () => {
  test("sends the key, the query without empty parameters, and the body as JSON", async () => {
    const { sent, fetch } = recorder(Response.json({ fine: true }));
    const { json } = connect({ url: "http://127.0.0.1:4400/", fetch, key: () => "secret" });
    expect(await json("POST", "/v1/x", { query: { a: 1, b: undefined, c: "" }, json: { d: 2 } })).toEqual({
      ok: true,
      value: { fine: true },
    });
    expect(sent[0]).toMatchObject({
      url: "http://127.0.0.1:4400/v1/x?a=1",
      body: '{"d":2}',
      headers: { authorization: "Bearer secret", "content-type": "application/json" },
    });
  });

  test("returns the server's problem unchanged", async () => {
    const problem = { code: "conflict", message: "Taken.", nextStep: "Choose another.", details: [1] };
    const { fetch } = recorder(Response.json(problem, { status: 409 }));
    expect(await connect({ fetch }).json("GET", "/")).toEqual({
      ok: false,
      failure: { ...problem, status: 409 },
    });
  });

  test.each([
    ["a page of another server", new Response("<html>", { status: 502 }), "answer_unreadable"],
    ["a success that is not JSON", new Response("hello"), "answer_unreadable"],
    ["no answer", new TypeError("refused"), "server_unreachable"],
  ])("turns %s into a failure with a next step", async (_, answer, code) => {
    const { fetch } = recorder(answer);
    expect(await connect({ fetch }).json("GET", "/")).toMatchObject({
      ok: false,
      failure: { code, nextStep: expect.stringMatching(/Check/) },
    });
  });
});

function recorder(answer: Response | Error) {
  const sent: { url: string; body: unknown; headers: Record<string, string> }[] = [];
  const fetch: Fetch = async (url, init) => {
    sent.push({ url, body: init?.body, headers: init?.headers as Record<string, string> });
    if (answer instanceof Error) throw answer;
    return answer;
  };
  return { sent, fetch };
}
