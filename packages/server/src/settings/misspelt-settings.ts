/**
 * Variables that look like a setting and are none: a misspelt limit or list of hosts must not be silently absent. Only near
 * misses are refused, because other programs use the prefix too: Kubernetes gives every pod variables named after a service.
 */
import { nearest } from "@capstan/core/internal";

const PREFIX = "CAPSTAN_";
const KUBERNETES = /^CAPSTAN_(?:SERVICE_(?:HOST|PORT\w*)|PORT_\d+_\w+)$/;
/** Of the command line, of tests, and what programs of packages are given. */
const OTHERS =
  /^CAPSTAN_(?:SECRET_\w+|URL|KEY|ORGANISATION|AGENT|AGENTS_CACHE|CLIENTS_CACHE|TOKEN_\w+|USER_\w+)$/;
const FARTHEST_LENGTHS = 2; // "RATE_LIMIT" may be half of a setting's name, or another program's

/** What each misspelt one should be called, in words. */
export function misspeltSettings(
  given: Readonly<Record<string, string | undefined>>,
  known: readonly string[],
): string[] {
  const names = known.map((name) => name.replace(PREFIX, ""));
  return Object.entries(given).flatMap(([name, value]) => {
    if (!name.startsWith(PREFIX) || known.includes(name)) return [];
    if (KUBERNETES.test(name) || OTHERS.test(name) || value?.startsWith("tcp://")) return [];
    const rest = name.slice(PREFIX.length);
    const [meant] = nearest(rest, names, 1);
    if (meant === undefined || Math.abs(meant.length - rest.length) > FARTHEST_LENGTHS) return [];
    const right = known.includes(meant) ? meant : `${PREFIX}${meant}`;
    return [`${name} is not a setting; did you mean ${right}?`];
  });
}
