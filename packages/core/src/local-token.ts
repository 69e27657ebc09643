/** Where a loopback server stores its own user's token, on systems that do not report who connects. */
export const localTokenFile = (home: string, port: number): string => `${home}/.capstan/local/${port}`;

/** The port of a server on this machine; undefined for a remote one, which must never receive a local token. */
export function loopbackPort(url: string): number | undefined {
  if (!URL.canParse(url)) return undefined;
  const { hostname, port, protocol } = new URL(url);
  if (!["127.0.0.1", "localhost", "[::1]"].includes(hostname)) return undefined;
  return Number(port) || (protocol === "https:" ? 443 : 80);
}
