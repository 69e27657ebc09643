/**
 * Refuses variables that look like a misspelt setting: a misspelt limit or list of hosts must not be silently ignored.
 * Only near misses and the first words of a name are refused, because other programs use the prefix too: Kubernetes gives
 * every pod variables named after a service.
 */
import { nearest } from "@capstan/core/internal";

const PREFIX = "CAPSTAN_";
const KUBERNETES = /^CAPSTAN_(?:SERVICE_(?:HOST|PORT\w*)|PORT_\d+_\w+)$/;
/** Used by the command line, by tests and by packages' programs. */
const OTHERS =
  /^CAPSTAN_(?:SECRET_\w+|URL|KEY|ORGANISATION|AGENT|AGENTS_CACHE|CLIENTS_CACHE|TOKEN_\w+|USER_\w+)$/;
const FARTHEST_LENGTHS = 2; // a few letters in the middle of a longer name may be another program's

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
    const meant = nearMiss(rest, names) ?? names.find((each) => each.startsWith(`${rest}_`));
    if (meant === undefined) return [];
    const right = known.includes(meant) ? meant : `${PREFIX}${meant}`;
    return [`${name} is not a setting; did you mean ${right}?`];
  });
}

function nearMiss(name: string, names: readonly string[]): string | undefined {
  const [meant] = nearest(name, names, 1);
  return meant !== undefined && Math.abs(meant.length - name.length) <= FARTHEST_LENGTHS ? meant : undefined;
}
