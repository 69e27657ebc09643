/**
 * Addresses that a tool must not reach: everything that is not plain public unicast. IPv6 uses an allowlist
 * (only 2000::/3 is public), so that new ways to embed an IPv4 address in an IPv6 one are refused by default.
 */
import { BlockList, isIP } from "node:net";

/** Thrown by the connection attempt; the guard turns it into a refusal. */
export class AddressRefusedError extends Error {
  readonly why: string;
  constructor(why: string) {
    super(why);
    this.name = "AddressRefusedError";
    this.why = why;
  }
}

type Range = readonly [network: string, prefix: number, what: string];

const IPV4_RANGES: readonly Range[] = [
  ["0.0.0.0", 8, "this host"],
  ["10.0.0.0", 8, "private"],
  ["100.64.0.0", 10, "shared by a carrier (CGNAT)"],
  ["127.0.0.0", 8, "loopback"],
  ["169.254.0.0", 16, "link-local"],
  ["168.63.129.16", 32, "a cloud platform's own service"],
  ["172.16.0.0", 12, "private"],
  ["192.0.0.0", 24, "reserved for protocols"],
  ["192.0.2.0", 24, "for documentation"],
  ["192.88.99.0", 24, "a 6to4 relay"],
  ["192.168.0.0", 16, "private"],
  ["198.18.0.0", 15, "for benchmarks"],
  ["198.51.100.0", 24, "for documentation"],
  ["203.0.113.0", 24, "for documentation"],
  ["224.0.0.0", 4, "multicast"],
  ["240.0.0.0", 4, "reserved"],
];

/** Outside 2000::/3 everything is refused; these rows only name it. */
const IPV6_RANGES: readonly Range[] = [
  ["::1", 128, "loopback"],
  ["::", 128, "this host"],
  ["::ffff:0:0", 96, "an IPv4 address in IPv6 form"],
  ["64:ff9b::", 96, "an IPv4 address behind NAT64"],
  ["64:ff9b:1::", 48, "an IPv4 address behind NAT64"],
  ["fc00::", 7, "private"],
  ["fe80::", 10, "link-local"],
  ["fec0::", 10, "private (site-local)"],
  ["ff00::", 8, "multicast"],
  ["2001::", 23, "reserved for protocols, such as Teredo"],
  ["2001:db8::", 32, "for documentation"],
  ["2002::", 16, "an IPv4 address behind 6to4"],
  ["3fff::", 20, "for documentation"],
];

const ipv4 = IPV4_RANGES.map((range) => listed(range, "ipv4"));
const ipv6 = IPV6_RANGES.map((range) => listed(range, "ipv6"));
const publicIpv6 = listed(["2000::", 3, "public"], "ipv6").list;

/** Why an address may not be reached; undefined for a public one. */
export function refusedAddress(address: string): string | undefined {
  switch (isIP(address)) {
    case 4:
      return ipv4.find(({ list }) => list.check(address, "ipv4"))?.what;
    case 6: {
      const known = ipv6.find(({ list }) => list.check(address, "ipv6"))?.what;
      return known ?? (publicIpv6.check(address, "ipv6") ? undefined : "not public");
    }
    default:
      return "not an address";
  }
}

function listed([network, prefix, what]: Range, family: "ipv4" | "ipv6"): { list: BlockList; what: string } {
  const list = new BlockList();
  list.addSubnet(network, prefix, family);
  return { list, what };
}
