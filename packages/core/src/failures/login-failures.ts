/** Failures of logins: of people, and of clients that act for a person. */
import { row } from "./failure.ts";

export const loginFailures = {
  client_unknown: row<{ why: string }>({
    status: 400,
    message: ({ why }) => `The client is unknown: ${why}.`,
    nextStep: () =>
      "Remove the server from the client and add it again, which registers the client again. If the server cannot read its document (no internet access, or its host refuses servers), set CAPSTAN_CLIENT_DOCUMENTS=off: then clients register.",
  }),
  client_scope_missing: row<{ tool: string; scopes: readonly string[] }>({
    status: 403,
    message: ({ tool }) => `This client is not allowed to call "${tool}".`,
    nextStep: ({ scopes }) => `Log in again with the scope "${scopes.join(" ")}"; the user is asked again.`,
  }),
  login_request_invalid: row<{ where: string }>({
    status: 400,
    message: ({ where }) => `The client's login request is not valid: ${where}.`,
    nextStep: () =>
      "Start the login again in the client. If it happens again, report it to the client's developer.",
  }),
  person_refused: row<{ why: string }>({
    status: 403,
    message: ({ why }) => `You could not be signed in: ${why}.`,
    nextStep: () => "Ask an admin of this server.",
  }),
  organisation_exists: row<{ id: string }>({
    status: 409,
    message: ({ id }) => `The organisation "${id}" already exists.`,
    nextStep: () => "Choose another id; `capstan organisations` lists those that exist.",
  }),
  organisation_needs_role: row<{ role: string }>({
    status: 409,
    message: ({ role }) =>
      `The database role "${role}" may not create roles, and each organisation needs its own role with access to its rows only.`,
    nextStep: ({ role }) =>
      `As a database administrator, run \`ALTER ROLE "${role.replaceAll('"', '""')}" CREATEROLE\`, then create the organisation again.`,
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
      `"${id}" is the server's first organisation. It cannot be deleted and has neither its own members nor limits.`,
    nextStep: () =>
      "Its people get their roles from the OpenID provider's claims; use budgets to limit its spending.",
  }),
  organisation_not_separated: row<Record<string, never>>({
    status: 503,
    message: () =>
      "Outside the first organisation, programs run only if each can have its own file system and network, and this system cannot provide both.",
    nextStep: () =>
      "Ask the server's operator: `capstan doctor --security` shows what is missing. Skills, imported APIs and MCP servers with an address work without it.",
  }),
  organisation_of_operator: row<{ what: string }>({
    status: 403,
    message: ({ what }) => `${what} are reserved for the server's first organisation.`,
    nextStep: () =>
      "Ask an admin of the server: they run with the machine's rights, which other organisations do not have.",
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
    nextStep: () => "Ask an admin of this server for a role, then restart what was stopped.",
  }),
  user_may_not_run: row<{ user: string }>({
    status: 403,
    message: ({ user }) => `The role of ${user} allows reading only, so nothing runs in their name.`,
    nextStep: () => 'Ask an admin of this server for the role "run", then restart what was stopped.',
  }),
  work_beyond_owner: row<{ owner: string; why: string }>({
    status: 403,
    message: ({ owner, why }) => `${owner} started this work and could not start it now: ${why}.`,
    nextStep: () => "Have someone with the right to do it start it again.",
  }),
  sign_in_not_set_up: row<Record<never, never>>({
    status: 409,
    message: () => "Sign-in is not set up on this server: it has no OpenID provider.",
    nextStep: () =>
      "Use a key (CAPSTAN_KEY; `capstan keys create <name>` makes one), or ask an admin to set CAPSTAN_OIDC_ISSUER as described in docs/login.md.",
  }),
  device_flow_missing: row<{ issuer: string }>({
    status: 409,
    message: ({ issuer }) => `The OpenID provider ${issuer} does not offer the device flow.`,
    nextStep: () =>
      "Ask an admin to allow it for this server's client at the provider and restart the server, or use a key (CAPSTAN_KEY) from the studio's Settings.",
  }),
  login_denied: row<Record<never, never>>({
    status: 403,
    message: () => "The login was denied at the OpenID provider.",
    nextStep: () => "If that was a mistake, run `capstan login` again.",
  }),
  login_expired: row<Record<never, never>>({
    status: 410,
    message: () => "This login has expired, or was already used.",
    nextStep: () => "Run `capstan login` again, and confirm the new code.",
  }),
  login_file_refused: row<{ file: string; why: string }>({
    status: 400,
    message: ({ file, why }) => `The login in ${file} is not safe to use: ${why}.`,
    nextStep: ({ file }) =>
      `Others may have read it: end it in the studio (Settings, Logins), remove ${file} and run \`capstan login\` again.`,
  }),
  sign_in_failed: row<{ why: string }>({
    status: 502,
    message: ({ why }) => `The OpenID provider could not sign you in: ${why}.`,
    nextStep: () => "Try again. If it fails again, the reason is in the server's log.",
  }),
} as const;
