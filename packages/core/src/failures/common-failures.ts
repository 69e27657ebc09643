/** Failures that can occur anywhere: invalid input, missing things, limits. */
import { row } from "./failure.ts";

/** Why an address cannot be listened on, by the system's error code. */
const LISTEN_ERRORS: Readonly<Record<string, { why: string; nextStep: string }>> = {
  EADDRINUSE: {
    why: "another program is using it",
    nextStep: "Stop it, or choose another PORT.",
  },
  EACCES: {
    why: "this user is not allowed to use that port",
    nextStep: "Choose a PORT of 1024 or more, or grant the capability (`CAP_NET_BIND_SERVICE`).",
  },
  EADDRNOTAVAIL: {
    why: "this machine does not have that address",
    nextStep:
      "Set HOST to an address of this machine or to 0.0.0.0 for all of them, or leave it unset to listen on this machine only.",
  },
  ENOTFOUND: {
    why: "that name does not resolve",
    nextStep: "Set HOST to an address of this machine, or to a name that resolves to one.",
  },
  EAFNOSUPPORT: {
    why: "this system does not support that kind of address (IPv6 may be off)",
    nextStep: "Set HOST to an IPv4 address, such as 127.0.0.1 or 0.0.0.0.",
  },
  EMFILE: {
    why: "the limit on open files is too low",
    nextStep: "Raise the limit (`ulimit -n 4096`, or `LimitNOFILE=4096` in a systemd unit).",
  },
};

export const commonFailures = {
  input_invalid: row<{ where: string; issues?: unknown }>({
    status: 422,
    message: ({ where }) => `The input is not valid: ${where}`,
    nextStep: () => "Correct the named fields and send it again.",
    details: ({ issues }) => issues,
  }),
  body_invalid: row<{ where: string }>({
    status: 400,
    message: ({ where }) => `The request body cannot be read: ${where}`,
    nextStep: () => "Send a JSON body with content-type application/json.",
  }),
  media_type_unsupported: row<{ given: string }>({
    status: 415,
    message: ({ given }) => `The body was sent as "${given}", but JSON is required.`,
    nextStep: () => "Send JSON with the header `content-type: application/json`.",
  }),
  coding_unsupported: row<{ given: string }>({
    status: 415,
    message: ({ given }) => `The body was sent with \`${given}\`, but only plain UTF-8 is supported.`,
    nextStep: () => "Send the body as uncompressed UTF-8.",
  }),
  header_refused: row<{ name: string; why: string; nextStep?: string }>({
    status: 400,
    message: ({ name, why }) => `The header "${name}" ${why}.`,
    nextStep: ({ name, nextStep }) =>
      nextStep ?? `Correct or leave out "${name}", and send the request again.`,
  }),
  method_not_allowed: row<{ method: string; path: string; allowed: readonly string[] }>({
    status: 405,
    message: ({ method, path }) => `${path} does not support ${method}.`,
    nextStep: ({ allowed }) => `Use ${allowed.join(", ")}; /docs lists every route.`,
  }),
  limit_reached: row<{ what: string; limit: number }>({
    status: 409,
    message: ({ what, limit }) => `There are at most ${limit} ${what}.`,
    nextStep: () => "Remove or shorten one first.",
  }),
  cursor_invalid: row<{ cursor: string }>({
    status: 400,
    message: ({ cursor }) => `"${cursor}" is not a cursor of this list.`,
    nextStep: () => "Start without a cursor, then pass `next_cursor` back unchanged.",
  }),
  body_too_large: row<{ limitBytes: number }>({
    status: 413,
    message: ({ limitBytes }) => `The body is larger than ${limitBytes} bytes.`,
    nextStep: () => "Send a smaller body, or raise the limit in the server's settings.",
  }),
  not_found: row<{ what: string; id: string; nextStep?: string }>({
    status: 404,
    message: ({ what, id }) => `There is no ${what} "${id}".`,
    nextStep: ({ what, nextStep }) => nextStep ?? `Check the ${what}'s id against the list.`,
  }),
  conflict: row<{ message: string; nextStep: string }>({
    status: 409,
    message: ({ message }) => message,
    nextStep: ({ nextStep }) => nextStep,
  }),
  unauthenticated: row<{ why: string }>({
    status: 401,
    message: ({ why }) => `The request is not authenticated: ${why}`,
    nextStep: () =>
      "Send an API key as `Authorization: Bearer <key>`, or sign in with `capstan login` if the server has an OpenID provider. To create a key, run `capstan keys create <name>` on the server's machine, in the folder it was started in (or with its CAPSTAN_DATA_DIR).",
  }),
  forbidden: row<{ message: string; nextStep: string }>({
    status: 403,
    message: ({ message }) => message,
    nextStep: ({ nextStep }) => nextStep,
  }),
  rate_limited: row<{ who?: string; perMinute: number; retryAfterSeconds: number }>({
    status: 429,
    message: ({ who = "This key", perMinute }) => `${who} is limited to ${perMinute} requests a minute.`,
    nextStep: ({ retryAfterSeconds }) => `Try again in ${retryAfterSeconds} s, or ask for a higher limit.`,
  }),
  not_available: row<{ what: string; why: string; nextStep: string }>({
    status: 503,
    message: ({ what, why }) => `${what} is not available: ${why}`,
    nextStep: ({ nextStep }) => nextStep,
  }),
  storage_full: row<{ freeBytes?: number; reserveBytes?: number }>({
    status: 507,
    message: ({ freeBytes, reserveBytes }) =>
      freeBytes === undefined
        ? "The disk that holds the data is full."
        : `The disk that holds the data has ${freeBytes} bytes left; ${reserveBytes} are reserved for running work.`,
    nextStep: () =>
      "Nothing was written. Free some space or delete sessions and files you no longer need, then try again.",
  }),
  internal: row<{ reference: string }>({
    status: 500,
    message: ({ reference }) => `Internal error (reference ${reference}).`,
    nextStep: () => "Search the server's log for the reference, and report the error.",
  }),
  command_unknown: row<{ name: string; nearest: readonly string[] }>({
    status: 400,
    message: ({ name }) => `There is no command "${name}".`,
    nextStep: ({ nearest }) =>
      nearest.length > 0
        ? `Did you mean ${nearest.map((name) => `"${name}"`).join(" or ")}?`
        : "`capstan help` lists all commands.",
  }),
  command_invalid: row<{ message: string; usage: string }>({
    status: 400,
    message: ({ message }) => `The command could not be parsed: ${message}`,
    nextStep: ({ usage }) => `Usage: ${usage}`,
  }),
  path_refused: row<{ why: string }>({
    status: 400,
    message: ({ why }) => `The system refused: ${why}`,
    nextStep: () => "Check the path and its permissions.",
  }),
  settings_invalid: row<{ where: string }>({
    status: 500,
    message: ({ where }) => `The settings are not valid: ${where}`,
    nextStep: () => "Correct the named environment variables; docs/configuration.md lists them all.",
  }),
  config_invalid: row<{ file: string; why: string }>({
    status: 500,
    message: ({ file, why }) => `${file} cannot be used: ${why}`,
    nextStep: () => "Correct the file; docs/configuration.md shows one that works.",
  }),
  address_unusable: row<{ address: string; code: string }>({
    status: 500,
    message: ({ address, code }) =>
      `The server cannot listen on ${address}: ${LISTEN_ERRORS[code]?.why ?? code}.`,
    nextStep: ({ code }) => LISTEN_ERRORS[code]?.nextStep ?? "Check HOST and PORT.",
  }),
  data_folder_locked: row<{ folder: string; holder: number }>({
    status: 503,
    message: ({ folder, holder }) => `Another server (process ${holder}) is using the data folder ${folder}.`,
    nextStep: () =>
      "Stop it, or start this one with another CAPSTAN_DATA_DIR, or use DATABASE_URL for several processes.",
  }),
  database_unreachable: row<{ location: string; why: string }>({
    status: 503,
    message: ({ location, why }) => `The database at ${location} does not answer: ${why}`,
    nextStep: () =>
      "Check the address in DATABASE_URL, and that Postgres is running there; CAPSTAN_DATABASE_WAIT_SECONDS sets how long the server waits for it at startup.",
  }),
  database_refused: row<{ location: string; why: string }>({
    status: 503,
    message: ({ location, why }) => `The database at ${location} refused the login: ${why}`,
    nextStep: () => "Check the user, the password and the database name in DATABASE_URL.",
  }),
  open_files_few: row<{ limit: number; needed: number }>({
    status: 503,
    message: ({ limit, needed }) =>
      `The limit on open files is too low: it is ${limit}, and the server needs at least ${needed}.`,
    nextStep: () =>
      "Raise the limit (`ulimit -n 4096`, or `LimitNOFILE=4096` in a systemd unit), then start again.",
  }),
  database_unusable: row<{ location: string; why: string; nextStep?: string }>({
    status: 503,
    message: ({ location, why }) => `The data at ${location} cannot be used: ${why}`,
    nextStep: ({ nextStep }) =>
      nextStep ??
      "Check the folder's permissions and free space; restore a backup if it is damaged (`capstan restore`).",
  }),
  database_unsuitable: row<{ location: string; why: string; nextStep: string }>({
    status: 503,
    message: ({ location, why }) => `The database at ${location} cannot be used: ${why}.`,
    nextStep: ({ nextStep }) => nextStep,
  }),
  database_setup_failed: row<{ location: string; why: string; code: string }>({
    status: 503,
    message: ({ location, why, code }) =>
      `The tables in ${location} cannot be migrated: ${why}${code && ` (SQLSTATE ${code})`}.`,
    nextStep: ({ code }) =>
      code === "42501"
        ? "The role must own the tables and be able to create in the schemas public, drizzle and dbos: as the database's owner run `REASSIGN OWNED BY <old role> TO <role>`, or start once with the role that created them."
        : "Nothing was changed. Back up the database, and report this with your versions of Capstan and Postgres.",
  }),
  store_newer: row<{ location: string; needs: string; version: string }>({
    status: 503,
    message: ({ location, needs, version }) =>
      `The data at ${location} needs Capstan ${needs} or newer; this is ${version}.`,
    nextStep: ({ needs }) =>
      `Use Capstan ${needs} or newer, or restore a backup from before the upgrade into an empty store.`,
  }),
  store_older: row<{ location: string }>({
    status: 503,
    message: ({ location }) =>
      `The data at ${location} is from before in-place upgrades were supported, so its tables cannot be migrated.`,
    nextStep: () =>
      "Run `capstan backup before.capstan` with this version, then `capstan restore before.capstan` into an empty data folder or database: rows are carried over by column name.",
  }),
  database_pooled: row<{ location: string }>({
    status: 503,
    message: ({ location }) =>
      `DATABASE_URL reaches ${location} through a pooler in transaction mode, where locks and LISTEN do not work.`,
    nextStep: () =>
      "Set DATABASE_DIRECT_URL to the address of Postgres itself (a few connections go there), or switch the pooler to session mode.",
  }),
};
