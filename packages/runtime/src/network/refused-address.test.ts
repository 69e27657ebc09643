import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { refusedAddress } from "./refused-address.ts";

describe("refusedAddress", () => {
  test.each([
    ["0.0.0.0", "this host"],
    ["10.1.2.3", "private"],
    ["100.64.0.1", "CGNAT"],
    ["100.127.255.255", "CGNAT"],
    ["127.0.0.1", "loopback"],
    ["127.255.255.254", "loopback"],
    ["169.254.169.254", "link-local"],
    ["168.63.129.16", "cloud"],
    ["172.31.255.255", "private"],
    ["192.168.0.1", "private"],
    ["198.19.0.1", "benchmarks"],
    ["224.0.0.1", "multicast"],
    ["255.255.255.255", "reserved"],
    ["::1", "loopback"],
    ["::", "this host"],
    ["::ffff:127.0.0.1", "IPv4"],
    ["::ffff:8.8.8.8", "IPv4"],
    ["::ffff:7f00:1", "IPv4"],
    ["::7f00:1", "not public"],
    ["64:ff9b::7f00:1", "NAT64"],
    ["64:ff9b:1::a00:1", "NAT64"],
    ["2002:7f00:1::", "6to4"],
    ["2001:0:1::1", "Teredo"],
    ["fd00:ec2::254", "private"],
    ["fe80::1", "link-local"],
    ["fec0::1", "private"],
    ["ff02::1", "multicast"],
    ["2001:db8::1", "documentation"],
    ["5f00::1", "not public"],
    ["fe80::1%eth0", "link-local"],
    ["localhost", "not an address"],
    ["", "not an address"],
  ])("refuses %s: %s", (address, what) => {
    expect(refusedAddress(address)).toContain(what);
  });

  test.each([
    "1.1.1.1",
    "8.8.8.8",
    "172.15.0.1",
    "172.32.0.1",
    "100.63.0.1",
    "192.0.1.1",
    "223.255.255.255",
    "2606:4700::1111",
    "2001:4860:4860::8888",
  ])("lets %s pass", (address) => {
    expect(refusedAddress(address)).toBeUndefined();
  });

  test("an IPv6 address that embeds a non-public IPv4 one never passes", () => {
    fc.assert(
      fc.property(
        fc.ipV4(),
        fc.constantFrom("::", "::ffff:", "::ffff:0:", "64:ff9b::", "fe80::", "fc00::"),
        (v4, prefix) => {
          expect(refusedAddress(prefix + v4)).toBeDefined();
        },
      ),
    );
  });
});
