/**
 * The only way out of a package's network namespace: an HTTP proxy that opens connections to public addresses
 * and to what the operator allowed. A name is resolved here, and the connection goes to the address that
 * was checked. This machine's own ports are reachable only if they were declared one by one.
 */
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";
import { connect, isIP, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Resolve } from "./checked-connector.ts";
import { markPassedOn } from "./passed-on.ts";
import { AddressRefusedError, refusedAddress } from "./refused-address.ts";
import type { AllowedHost } from "./url-policy.ts";

const CONNECT_MS = 10_000;
const HOP_BY_HOP = /^(connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade)$/i;

export interface ProxyRules {
  /** Hosts that the operator allows although their address is not public. */
  readonly allowed: AllowedHost;
  /** Ports of this machine, named one by one. */
  readonly loopbackPorts: readonly number[];
  readonly resolve: Resolve;
  /** Nothing but these hosts: the command carries a token that is meant for them. */
  readonly only?: readonly string[] | undefined;
  /** The operator's own proxy, if there is no other way out. */
  readonly upstream?: URL | undefined;
}

export function packageProxy(rules: ProxyRules): Server {
  const server = createServer((incoming, answer) => void passOn(incoming, answer, rules));
  server.on("connect", (incoming, socket, head) => void tunnel(incoming, socket, head, rules));
  return server;
}

/**
 * The address that may be reached; undefined when only the operator's proxy can tell. Throws `AddressRefusedError` where
 * there is none.
 */
async function checkedAddress(host: string, port: number, rules: ProxyRules): Promise<string | undefined> {
  const { allowed, loopbackPorts, resolve, upstream, only } = rules;
  if (only !== undefined && !isAmong(only, host, port))
    throw new AddressRefusedError(`${host} is not a host that the call's token is meant for`);
  const addresses = isIP(host) === 0 ? await resolve(host).catch(unless(upstream)) : [host];
  if (addresses === undefined) return undefined;
  const why = (address: string) => {
    const what = refusedAddress(address);
    if (what === "loopback" || what === "this host") return loopbackPorts.includes(port) ? undefined : what;
    return what !== undefined && allowed(host, port) ? undefined : what;
  };
  const reachable = addresses.find((address) => why(address) === undefined);
  if (reachable !== undefined) return reachable;
  const [first = "nowhere"] = addresses;
  throw new AddressRefusedError(`${host} leads to ${first}, which is ${why(first) ?? "no address"}`);
}

function isAmong(entries: readonly string[], host: string, port: number): boolean {
  const name = host.toLowerCase();
  return entries.some((entry) => {
    const named = entry.toLowerCase();
    if (named.startsWith("*.")) return port === 443 && name.endsWith(named.slice(1));
    return named === `${name}:${port}` || (named === name && port === 443);
  });
}

/** Behind a proxy, public names often do not resolve. */
const unless = (upstream: URL | undefined) => (error: unknown) => {
  if (upstream === undefined) throw error;
  return undefined;
};

async function open(host: string, port: number, rules: ProxyRules): Promise<Socket> {
  const address = await checkedAddress(host, port, rules);
  const isPublic = address === undefined || refusedAddress(address) === undefined;
  if (rules.upstream && isPublic) return openThrough(rules.upstream, host, port);
  return openTo(address ?? host, port);
}

function openThrough(proxy: URL, host: string, port: number): Promise<Socket> {
  const path = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
  const asked = request({
    host: bare(proxy.hostname),
    port: Number(proxy.port) || 80,
    method: "CONNECT",
    path,
  });
  return new Promise((done, failed) => {
    asked.once("connect", ({ statusCode = 0 }, socket) => {
      if (statusCode === 200) return done(socket as Socket);
      socket.destroy();
      failed(new Error(`the proxy ${proxy.host} answered ${statusCode}`));
    });
    asked.once("error", failed);
    asked.setTimeout(CONNECT_MS, () => asked.destroy(new Error("the proxy did not answer in time")));
    asked.end();
  });
}

/** What it opens is marked, so that the server itself does not take a package for its own user. */
export function openTo(host: string, port: number): Promise<Socket> {
  return new Promise((done, failed) => {
    const socket = connect({ host, port, timeout: CONNECT_MS }, () => {
      socket.setTimeout(0);
      markPassedOn(socket);
      done(socket);
    });
    socket.once("timeout", () => socket.destroy(new Error("it did not answer in time")));
    socket.once("error", failed);
  });
}

async function tunnel(
  incoming: IncomingMessage,
  client: Duplex,
  head: Buffer,
  rules: ProxyRules,
): Promise<void> {
  client.on("error", () => {}); // a command that ends leaves its connections
  const target = URL.parse(`http://${incoming.url ?? ""}`);
  try {
    if (!target) throw new AddressRefusedError("the address cannot be read");
    const server = await open(bare(target.hostname), Number(target.port) || 443, rules);
    client.write("HTTP/1.1 200 Connection established\r\n\r\n");
    if (head.length > 0) server.write(head);
    join(client, server);
  } catch (error) {
    const { status, text } = refusal(error);
    client.end(
      `HTTP/1.1 ${status} Refused\r\ncontent-type: text/plain\r\nconnection: close\r\n\r\n${text}\n`,
    );
  }
}

async function passOn(incoming: IncomingMessage, answer: ServerResponse, rules: ProxyRules): Promise<void> {
  const url = URL.parse(incoming.url ?? "");
  try {
    if (url?.protocol !== "http:")
      throw new AddressRefusedError("this is a proxy: ask it for an http address");
    const socket = await open(bare(url.hostname), Number(url.port) || 80, rules);
    const kept = Object.entries(incoming.headers).filter(([name]) => !HOP_BY_HOP.test(name));
    const outgoing = request({
      createConnection: () => socket,
      method: incoming.method ?? "GET",
      path: url.pathname + url.search,
      headers: { ...Object.fromEntries(kept), host: url.host, via: "1.1 capstan" },
    });
    outgoing.on("error", () => answer.destroy());
    outgoing.on("response", (response) => {
      answer.writeHead(response.statusCode ?? 502, response.rawHeaders);
      response.pipe(answer);
    });
    incoming.on("error", () => outgoing.destroy());
    answer.on("close", () => outgoing.destroy());
    incoming.pipe(outgoing);
  } catch (error) {
    const { status, text } = refusal(error);
    answer.writeHead(status, { "content-type": "text/plain", connection: "close" }).end(`${text}\n`);
  }
}

/** Both directions; the end of one ends the other. */
export function join(one: Duplex, other: Duplex): void {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.on("error", () => to.destroy());
    from.on("close", () => to.destroy());
    from.pipe(to);
  }
}

const bare = (hostname: string): string => hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");

function refusal(error: unknown): { status: number; text: string } {
  if (error instanceof AddressRefusedError)
    return { status: 403, text: `The network guard refuses this: ${error.why}.` };
  return { status: 502, text: error instanceof Error ? error.message : String(error) };
}
