/** The minimal environment of a program started by a test: as little as a service manager would give it. */
import { tmpdir } from "node:os";

export function bareEnvironment(): Record<string, string> {
  const { PATH = "", NODE_COMPILE_CACHE } = process.env;
  return { PATH, TMPDIR: tmpdir(), ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }) };
}
