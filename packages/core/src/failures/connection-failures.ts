/** Failures of connections: users' accounts at other services. */
import { row } from "./failure.ts";

/** What a call needs before it can be made. */
export interface ConnectionLack {
  readonly provider: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly agentId: string;
  readonly tool: string;
  readonly why: string;
  /** Where the person connects. */
  readonly url: string;
}

export const connectionFailures = {
  connection_needed: row<ConnectionLack>({
    status: 403,
    message: ({ tool, name, why }) => `"${tool}" needs your account at ${name}: ${why}.`,
    nextStep: ({ url }) => `Connect it at ${url}, then call again.`,
    details: (facts) => facts,
  }),
  connection_not_answered: row<{ url: string; name: string }>({
    status: 409,
    message: ({ name }) => `Approving does not connect ${name}.`,
    nextStep: ({ url }) =>
      `Open ${url} and connect the account; the run then continues. Deny it to continue without the account.`,
  }),
  connection_provider_not_ready: row<{ provider: string }>({
    status: 409,
    message: ({ provider }) => `The connection provider "${provider}" is not set up on this server.`,
    nextStep: ({ provider }) =>
      `An admin registers a client at the provider and runs: capstan connections provider ${provider} --client-id <id>.`,
  }),
  connection_not_limited: row<Record<string, never>>({
    status: 503,
    message: () =>
      "A package's command cannot use a user's account here: this system cannot limit its network to the provider's hosts.",
    nextStep: () =>
      "Allow namespaces to the server (sysctl user.max_user_namespaces, kernel.unprivileged_userns_clone=1; in a container CAP_SYS_ADMIN), " +
      "or use a document or an OpenAPI import, whose requests the server makes itself.",
  }),
  connection_login_unknown: row<{ why: string }>({
    status: 400,
    message: ({ why }) => `The login at the provider could not be completed: ${why}.`,
    nextStep: () => "Start again with `capstan connections`, or under Settings, Connections in the studio.",
  }),
  connection_refused: row<{ provider: string; why: string }>({
    status: 502,
    message: ({ provider, why }) => `${provider} refused the request: ${why}.`,
    nextStep: () =>
      "Try again. If it keeps failing, check the client id, the secret and the redirect address at the provider.",
  }),
} as const;
