/**
 * Network settings of the operator's machine, for programs that download others (`npx`, `uvx`): proxies, certificates
 * and the registry. No tokens, and nothing else of the operator's environment.
 */
export interface OperatorNetwork {
  readonly variables: Readonly<Record<string, string>>;
  /** Lines of an npmrc. */
  readonly npmrc: string;
  /** Certificates referenced by the two. */
  readonly files: readonly string[];
}

const VARIABLES =
  /^((HTTPS?|ALL|NO)_PROXY|SSL_CERT_(FILE|DIR)|REQUESTS_CA_BUNDLE|NODE_EXTRA_CA_CERTS|UV_(INDEX_URL|DEFAULT_INDEX)|PIP_INDEX_URL)$/i;
const NAMES_A_FILE = /^(SSL_CERT_(FILE|DIR)|REQUESTS_CA_BUNDLE|NODE_EXTRA_CA_CERTS)$/;

export function operatorNetwork(
  environment: Readonly<Record<string, string>>,
  npmrc: string,
): OperatorNetwork {
  const kept = Object.entries(environment).filter(([name]) => VARIABLES.test(name));
  const named = kept.filter(([name]) => NAMES_A_FILE.test(name)).map(([, path]) => path);
  const [, cafile] = /^cafile=(\/.*)$/m.exec(npmrc) ?? [];
  return {
    variables: Object.fromEntries(kept.map(([name, value]) => [name, withoutPassword(value)])),
    npmrc,
    files: cafile === undefined ? named : [...named, cafile],
  };
}

/** For a program that uses the proxy of its network. */
export const withoutProxy = (npmrc: string): string => npmrc.replaceAll(/^(https-)?proxy=.*$/gm, "");

/** `host:port` of the operator's registries, which may be in a private network. */
export function registryHosts({ variables, npmrc }: Pick<OperatorNetwork, "variables" | "npmrc">): string[] {
  const named = Object.entries(variables).filter(([name]) => /INDEX/i.test(name));
  const registries = [...npmrc.matchAll(/^(?:@[^:]+:)?registry=(.+)$/gm)].map(([, address = ""]) => address);
  return hostsOf([...named.map(([, address]) => address), ...registries]);
}

export const hostsOf = (addresses: readonly string[]): string[] =>
  addresses.flatMap((address) => {
    const url = URL.parse(address.trim());
    return url?.hostname ? [`${url.hostname}:${url.port || (url.protocol === "https:" ? 443 : 80)}`] : [];
  });

/** A URL without user name and password. */
export function withoutPassword(text: string): string {
  if (!URL.canParse(text)) return text;
  const url = new URL(text);
  if (url.username === "" && url.password === "") return text;
  url.username = "";
  url.password = "";
  return url.href;
}
