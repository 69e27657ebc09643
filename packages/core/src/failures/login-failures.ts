/** Failures of logging in: clients that ask to act for a person, and people. */
import { row } from "./failure.ts";

export const loginFailures = {
  client_unknown: row<{ why: string }>({
    status: 400,
    message: ({ why }) => `The client that wants to log in is not known: ${why}.`,
    nextStep: () =>
      "Remove the server from the client and add it again, so that the client registers anew. On a server without a way to the internet set CAPSTAN_CLIENT_DOCUMENTS=off.",
  }),
  client_scope_missing: row<{ tool: string; scopes: readonly string[] }>({
    status: 403,
    message: ({ tool }) => `This client was not allowed to call "${tool}".`,
    nextStep: ({ scopes }) => `Log in again with the scope "${scopes.join(" ")}"; the person decides again.`,
  }),
  login_request_invalid: row<{ where: string }>({
    status: 400,
    message: ({ where }) => `The client's login request is not valid: ${where}.`,
    nextStep: () =>
      "Start the login again in the client. If it happens again, report it to the client's maker.",
  }),
  person_refused: row<{ why: string }>({
    status: 403,
    message: ({ why }) => `You could not be signed in: ${why}.`,
    nextStep: () => "Ask an admin of this server.",
  }),
  user_inactive: row<{ user: string }>({
    status: 403,
    message: ({ user }) => `${user} was disabled, or has no role on this server any more.`,
    nextStep: () => "Ask an admin of this server for a role; what was stopped can be started again then.",
  }),
  sign_in_not_set_up: row<Record<never, never>>({
    status: 409,
    message: () => "Nobody can sign in on this server: it has no OpenID provider.",
    nextStep: () =>
      "Use a key (CAPSTAN_KEY; `capstan keys create <name>` makes one), or let an admin set CAPSTAN_OIDC_ISSUER; docs/login.md says how.",
  }),
  device_flow_missing: row<{ issuer: string }>({
    status: 409,
    message: ({ issuer }) => `The OpenID provider ${issuer} does not offer the device flow.`,
    nextStep: () =>
      "Let an admin allow it for this server's client at the provider and start the server again, or use a key (CAPSTAN_KEY); Settings in the studio makes one.",
  }),
  login_denied: row<Record<never, never>>({
    status: 403,
    message: () => "The login was denied at the OpenID provider.",
    nextStep: () => "If you did not mean to, run `capstan login` again.",
  }),
  login_expired: row<Record<never, never>>({
    status: 410,
    message: () => "This login is over: nobody confirmed it in time, or it was used.",
    nextStep: () => "Run `capstan login` again, and confirm the new code.",
  }),
  login_file_refused: row<{ file: string; why: string }>({
    status: 400,
    message: ({ file, why }) => `The login in ${file} is not used: ${why}.`,
    nextStep: ({ file }) =>
      `Others may know it: end it in the studio (Settings, Logins), remove ${file}, and run \`capstan login\` again.`,
  }),
  sign_in_failed: row<{ why: string }>({
    status: 502,
    message: ({ why }) => `The OpenID provider could not sign you in: ${why}.`,
    nextStep: () => "Try again. If it happens again, an admin finds the reason in the server's log.",
  }),
} as const;
