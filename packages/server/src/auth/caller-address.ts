/**
 * The origin of a request, as a key for counting. A forwarded address is only trusted if a configured proxy added it,
 * because anyone can send the header. An IPv6 /48 counts as one caller, because one customer may own that many
 * addresses.
 */
import { BlockList, isIP, type Socket } from "node:net";
import type { Context } from "hono";
import type { Settings } from "../settings/settings.ts";

const MOST_HOPS = 20;
const LOOPBACK = ["127.0.0.0/8", "::1"];
const IN_PROCESS = "this process";

type ProxySettings = Pick<Settings, "CAPSTAN_TRUSTED_PROXIES" | "CAPSTAN_PUBLIC_URL">;

export function callerAddresses(settings: ProxySettings): (c: Context) => string {
  const proxies = blockList(trustedProxies(settings));
  return (c) => {
    const peer = plain(socketOf(c)?.remoteAddress ?? "");
    return isIP(peer) === 0 ? IN_PROCESS : network(sender(peer, c.req.header("x-forwarded-for"), proxies));
  };
}

/** A public address means that there is a proxy, and most run on the same machine. */
const trustedProxies = ({ CAPSTAN_TRUSTED_PROXIES, CAPSTAN_PUBLIC_URL }: ProxySettings): readonly string[] =>
  CAPSTAN_TRUSTED_PROXIES ?? (CAPSTAN_PUBLIC_URL === undefined ? [] : LOOPBACK);

function blockList(ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [address = "", bits] = range.split("/");
    const family = isIP(address) === 6 ? "ipv6" : "ipv4";
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return list;
}

/** The last address that is not one of our proxies: earlier ones are the caller's own claim. */
function sender(peer: string, forwarded: string | undefined, proxies: BlockList): string {
  const isProxy = (address: string) => proxies.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");
  const hops = (forwarded ?? "").split(",").slice(-MOST_HOPS);
  let last = peer;
  for (let next = hops.pop(); next !== undefined && isProxy(last); next = hops.pop()) {
    const address = plain(next.trim());
    if (isIP(address) === 0) return last;
    last = address;
  }
  return last;
}

/** IPv4 over an IPv6 socket, a port behind an address, and brackets are left out. */
function plain(text: string): string {
  const bare = /^\[([^\]]+)\](?::\d+)?$/.exec(text)?.[1] ?? text.replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, "$1");
  return bare.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, "").replace(/%.*$/, "");
}

function network(address: string): string {
  if (isIP(address) !== 6) return address;
  const { hostname } = new URL(`http://[${address}]`); // the canonical spelling
  const [head = "", tail] = hostname.slice(1, -1).split("::");
  const groups = (text: string) => (text === "" ? [] : text.split(":"));
  const [before, after] = [groups(head), groups(tail ?? "")];
  const zeros = Array<string>(tail === undefined ? 0 : 8 - before.length - after.length).fill("0");
  return `${[...before, ...zeros, ...after].slice(0, 3).join(":")}::/48`;
}

function socketOf(c: Context): Socket | undefined {
  const env = c.env as { incoming?: { socket?: Socket } } | undefined;
  return env?.incoming?.socket;
}
