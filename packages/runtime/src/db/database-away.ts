/**
 * Whether an error means that the database is unreachable: the connection was broken, refused or ended by a restart.
 * The driver's error may be wrapped by drizzle's.
 */

const SYSTEM = new Set(["ECONNREFUSED", "ECONNRESET", "EPIPE", "ETIMEDOUT", "ENOTFOUND", "EAI_AGAIN"]);
/** SQLSTATE: 08 connection errors, 57P01 to 57P05 shutdown, startup or a terminated idle session, 53300 too many connections. */
const STATES = /^(08[0-9A-Z]{3}|57P0[1-5]|53[0-9A-Z]{3})$/;
const WORDS =
  /^(Connection terminated|Client has encountered a connection error|Client was closed and is not queryable|timeout exceeded when trying to connect)/;
const DEPTH = 5;

export function isDatabaseAway(error: unknown, depth = DEPTH): boolean {
  if (typeof error !== "object" || error === null || depth === 0) return false;
  if (error instanceof AggregateError) return error.errors.some((each) => isDatabaseAway(each, depth - 1)); // each address of a name was tried
  const { code, message, cause, syscall } = error as Record<string, unknown>;
  if (typeof code === "string" && STATES.test(code)) return code !== "53100"; // a full disk does not recover by itself
  // Without `syscall` of a socket the error may come from a tool or a provider: then only the driver's own messages count.
  if (typeof code === "string" && SYSTEM.has(code) && typeof syscall === "string") return true;
  if (typeof message === "string" && WORDS.test(message)) return true;
  return isDatabaseAway(cause, depth - 1);
}
