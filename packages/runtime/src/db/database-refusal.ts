/** Turns a driver error at startup into a refusal with the cause and what helps; never includes the SQL statement. */
import { fail, type Refused } from "@capstan/core";
import { isDatabaseAway } from "./database-away.ts";

interface DriverError {
  readonly code?: unknown;
  readonly message?: unknown;
  readonly cause?: unknown;
}

const CERTIFICATE = new Set([
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "CERT_HAS_EXPIRED",
  "ERR_TLS_CERT_ALTNAME_INVALID",
]);

/** SQLSTATE 28 and 3D: the user, the password, the database name. */
const NOT_LET_IN = /^(28|3D)/;

const TRUST_IT =
  "Name the CA that signed it (`sslrootcert=/path/to/ca.pem` in DATABASE_URL, or NODE_EXTRA_CA_CERTS), or write `sslmode=no-verify` on a network you trust.";

export function refusedConnection(error: unknown, location: string): Refused {
  if (isDatabaseAway(error)) return fail("database_unreachable", { location, why: reasonOf(error) });
  const { code } = driverError(error);
  const why = reasonOf(error);
  if (CERTIFICATE.has(code))
    return fail("database_unsuitable", {
      location,
      why: `its certificate is not trusted (${why})`,
      nextStep: TRUST_IT,
    });
  if (/does not support SSL connections/.test(why))
    return fail("database_unsuitable", {
      location,
      why,
      nextStep: "Write `sslmode=disable` in DATABASE_URL.",
    });
  return fail("database_refused", { location, why });
}

/** For failures after login: while tables are created or migrated. */
export function refusedSetup(error: unknown, location: string): Refused {
  if (isDatabaseAway(error)) return fail("database_unreachable", { location, why: reasonOf(error) });
  const { code } = driverError(error);
  if (NOT_LET_IN.test(code)) return fail("database_refused", { location, why: reasonOf(error) });
  return fail("database_setup_failed", { location, why: reasonOf(error), code });
}

/** A folder's system errors and what helps; PGlite only reports WASI's error numbers. */
const SYSTEM_CAUSES: readonly { codes: readonly unknown[]; why: string; nextStep: string }[] = [
  {
    codes: ["ENOSPC", "53100", 51],
    why: "no space left on the disk",
    nextStep: "Free some space (a new store takes 60 MB), then start again. Nothing needs repair.",
  },
  {
    codes: ["EMFILE", "ENFILE", 33, 41],
    why: "the limit on open files is too low",
    nextStep:
      "Raise the limit (`ulimit -n 4096`, or `LimitNOFILE=4096` in a systemd unit), then start again.",
  },
  {
    codes: ["EROFS", 69],
    why: "the file system is read-only",
    nextStep: "Set CAPSTAN_DATA_DIR to a writable folder.",
  },
  {
    codes: ["ENOTDIR"],
    why: "CAPSTAN_DATA_DIR names a file, or a place below one",
    nextStep: "Choose a folder for CAPSTAN_DATA_DIR; it is created where it is missing.",
  },
  {
    codes: ["store_not_installed"],
    why: "the embedded store is not installed",
    nextStep:
      "Run `npm install --include=optional` (or install @electric-sql/pglite), or set DATABASE_URL to a Postgres.",
  },
];

/** For the embedded store and its folder. */
export function refusedFolder(error: unknown, location: string): Refused {
  const { code } = driverError(error);
  const { errno } = (error ?? {}) as { errno?: unknown };
  const system = SYSTEM_CAUSES.find(({ codes }) => codes.includes(code) || codes.includes(errno));
  if (system) return fail("database_unusable", { location, why: system.why, nextStep: system.nextStep });
  return fail("database_unusable", { location, why: reasonOf(error) });
}

/** The driver's own message; drizzle's repeats the whole statement. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === "") return error.errors.map(reasonOf).join(", ");
  const { message } = driverError(error);
  if (typeof message === "string" && message !== "") return message;
  return nameOf(error);
}

/** PGlite throws bare objects, whose own text would be `[object Object]`. */
function nameOf(error: unknown): string {
  if (error instanceof Error) return error.name;
  if (typeof error !== "object" || error === null) return String(error);
  const { errno, code } = error as { errno?: unknown; code?: unknown };
  const number = errno ?? code;
  return number === undefined ? "an error without a message" : `error ${String(number)} without a message`;
}

function driverError(error: unknown): { code: string; message: unknown } {
  let found = error as DriverError;
  while (typeof found?.cause === "object" && found.cause !== null && typeof found.code !== "string")
    found = found.cause as DriverError;
  return { code: typeof found?.code === "string" ? found.code : "", message: found?.message };
}
