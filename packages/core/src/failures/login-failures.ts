/** Failures of logging in: clients that ask to act for a person, and people. */
import { row } from "./failure.ts";

export const loginFailures = {
  client_unknown: row<{ why: string }>({
    status: 400,
    message: ({ why }) => `The client is unknown: ${why}.`,
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
  organisation_exists: row<{ id: string }>({
    status: 409,
    message: ({ id }) => `There is an organisation "${id}" already.`,
    nextStep: () => "Choose another id; `capstan organisations` lists those that exist.",
  }),
  organisation_needs_role: row<{ role: string }>({
    status: 409,
    message: ({ role }) =>
      `The database's role "${role}" may not create roles, and each organisation has one of its own that reaches only its rows.`,
    nextStep: ({ role }) =>
      `As an administrator of the database run \`ALTER ROLE "${role.replaceAll('"', '""')}" CREATEROLE\`, then create the organisation again.`,
  }),
  organisation_in_use: row<{ id: string }>({
    status: 409,
    message: ({ id }) => `The organisation "${id}" is in use; deleting it deletes everything in it.`,
    nextStep: ({ id }) => `Disable it first: \`capstan organisations disable ${id}\`.`,
  }),
  organisation_disabled: row<{ id: string }>({
    status: 409,
    message: ({ id }) => `The organisation "${id}" is disabled.`,
    nextStep: ({ id }) => `Enable it first: \`capstan organisations enable ${id}\`.`,
  }),
  organisation_unclear: row<{ why: string }>({
    status: 400,
    message: ({ why }) => `It is not clear which organisation this request is for: ${why}.`,
    nextStep: () =>
      "A key belongs to one organisation: leave out the header capstan-organisation, or use a key of the organisation that it names.",
  }),
  organisation_is_first: row<{ id: string }>({
    status: 409,
    message: ({ id }) =>
      `"${id}" is the server's first organisation: it has no members of its own and no limits, and stays.`,
    nextStep: () => "Roles of its people come from their provider's claims; budgets limit what it spends.",
  }),
  organisation_not_separated: row<Record<string, never>>({
    status: 503,
    message: () =>
      "Programs of an organisation beside the first run only where each has a file system and a network of its own, and this system cannot give it both.",
    nextStep: () =>
      "Ask the server's operator: `capstan doctor --security` says what is missing. Skills, imported APIs and MCP servers with an address work without it.",
  }),
  organisation_of_operator: row<{ what: string }>({
    status: 403,
    message: ({ what }) => `${what} belong to the server's first organisation.`,
    nextStep: () =>
      "Ask an admin of the server: they run with the machine's rights, which organisations do not share.",
  }),
  user_in_use: row<{ user: string }>({
    status: 409,
    message: ({ user }) =>
      `${user} is not disabled; deleting them removes their keys, accounts and memories.`,
    nextStep: ({ user }) => `Disable them first: \`capstan users disable ${user}\`.`,
  }),
  user_inactive: row<{ user: string }>({
    status: 403,
    message: ({ user }) => `${user} is disabled, or no longer has a role on this server.`,
    nextStep: () => "Ask an admin of this server for a role, then start again what was stopped.",
  }),
  user_may_not_run: row<{ user: string }>({
    status: 403,
    message: ({ user }) => `The role of ${user} allows reading only, so nothing runs in their name.`,
    nextStep: () => 'Ask an admin of this server for the role "run", then start again what was stopped.',
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
    message: () => "This login has expired, or was already used.",
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
    nextStep: () => "Try again. If it fails again, the reason is in the server's log.",
  }),
} as const;
