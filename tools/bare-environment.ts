/** What a program that a test starts gets of the test's own environment: as little as a service manager would give it. */
import { tmpdir } from "node:os";

export function bareEnvironment(): Record<string, string> {
  const { PATH = "", NODE_COMPILE_CACHE } = process.env;
  return { PATH, TMPDIR: tmpdir(), ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }) };
}
