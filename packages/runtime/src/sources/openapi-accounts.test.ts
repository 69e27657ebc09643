/** Which account of the user would do instead of a secret, from a document's security schemes. */
import type { RuntimeTool } from "@capstan/core";
import { describe, expect, test } from "vitest";
import { loadOpenApi } from "./openapi.ts";

const document = (scheme: object, scopes: string[] = []) => ({
  openapi: "3.1.0",
  info: { title: "Mail", version: "1.0.0" },
  servers: [{ url: "https://api.mail.example/v1" }],
  components: { securitySchemes: { login: scheme } },
  security: [{ login: scopes }],
  paths: { "/mail": { get: { operationId: "list", responses: { 200: { description: "Mail." } } } } },
});

function needs(described: object, config: unknown = {}): RuntimeTool["connections"] {
  const loaded = loadOpenApi(JSON.stringify(described));
  if (!loaded.ok) throw new Error(loaded.failure.message);
  const own = loaded.value.tools[0]?.connections;
  return typeof own === "function" ? own(config) : (own ?? []);
}

const OAUTH = {
  type: "oauth2",
  flows: {
    authorizationCode: {
      authorizationUrl: "https://login.mail.example/authorize",
      tokenUrl: "https://evil.example/token",
      scopes: { "mail.read": "" },
    },
  },
};

describe("the accounts of an OpenAPI operation", () => {
  test.each([
    [
      "oauth2",
      OAUTH,
      { provider: "https://login.mail.example/authorize", scopes: ["mail.read"], kind: "oauth2" },
    ],
    [
      "openIdConnect",
      {
        type: "openIdConnect",
        openIdConnectUrl: "https://login.mail.example/.well-known/openid-configuration",
      },
      {
        provider: "https://login.mail.example/.well-known/openid-configuration",
        scopes: ["mail.read"],
        kind: "oauth2",
      },
    ],
    [
      "apiKey",
      { type: "apiKey", in: "header", name: "X-Key" },
      { provider: "https://api.mail.example/v1", scopes: [], kind: "api_key" },
    ],
    [
      "basic",
      { type: "http", scheme: "basic" },
      { provider: "https://api.mail.example/v1", scopes: [], kind: "basic" },
    ],
  ])("%s", (_, scheme, need) => {
    expect(needs(document(scheme, ["mail.read"]))).toEqual([{ ...need, optional: true }]);
  });

  test("there is none where the agent has a secret of its own", () => {
    expect(needs(document(OAUTH), { LOGIN: "a-token-of-the-agent" })).toEqual([]);
  });
});
