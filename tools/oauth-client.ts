/** The client side of an OAuth login, for tests: stores what the SDK gives it, and consents over the API. */
import type { OAuthClientProvider } from "@modelcontextprotocol/client";
import type { TestServer } from "./test-server.ts";

/** A callback on loopback. Nothing listens there: the redirect address is enough. */
export const CALLBACK = "http://127.0.0.1:45454/callback";

export interface MemoryClient extends OAuthClientProvider {
  /** Where the browser was sent. */
  readonly opened: () => URL;
}

export function memoryClient(options: { scope?: string; clientMetadataUrl?: string } = {}): MemoryClient {
  let opened: URL | undefined;
  let client: Awaited<ReturnType<OAuthClientProvider["clientInformation"]>>;
  let tokens: Awaited<ReturnType<OAuthClientProvider["tokens"]>>;
  let verifier = "";
  return {
    redirectUrl: CALLBACK,
    ...(options.clientMetadataUrl && { clientMetadataUrl: options.clientMetadataUrl }),
    clientMetadata: {
      client_name: "Test client",
      redirect_uris: [CALLBACK],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
      ...(options.scope && { scope: options.scope }),
    },
    state: () => "a state",
    clientInformation: () => client,
    saveClientInformation: (saved) => {
      client = saved;
    },
    tokens: () => tokens,
    saveTokens: (saved) => {
      tokens = saved;
    },
    redirectToAuthorization: (url) => {
      opened = url;
    },
    saveCodeVerifier: (saved) => {
      verifier = saved;
    },
    codeVerifier: () => verifier,
    opened: () => {
      if (!opened) throw new Error("the client opened no browser");
      return opened;
    },
  };
}

/** What the studio's page does: answers for the person whose `headers` are sent. */
export async function consent(
  server: Pick<TestServer, "call">,
  opened: URL,
  answer: { agent_id?: string; scopes?: readonly string[]; allow?: boolean },
  headers: Record<string, string> = {},
) {
  const request = Object.fromEntries(opened.searchParams);
  const body = { request, allow: true, ...answer };
  const { status, body: said } = await server.call("POST", "/v1/client-logins", body, headers);
  const back = status === 200 ? new URL(said.redirect_to) : undefined;
  return { status, said, back, code: back?.searchParams.get("code") ?? "" };
}
