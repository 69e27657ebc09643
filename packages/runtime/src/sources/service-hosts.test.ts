import type { Manifest } from "@capstan/core";
import { describe, expect, test } from "vitest";
import { serviceHosts } from "./service-hosts.ts";

const manifest = (container: string): Manifest => ({
  name: "look",
  type: "cli",
  command: "aech-cli-look",
  description: "Looks.",
  actions: [],
  service: { container, port: 4400 },
});

describe("a package and the hosts that its manifest names", () => {
  test("reaches its own service, where the server runs it or in its container", () => {
    expect(serviceHosts(manifest("aech-rt-look"), "http://127.0.0.1:5001")).toEqual(["127.0.0.1:5001"]);
    expect(serviceHosts(manifest("aech-rt-look"), undefined)).toEqual(["aech-rt-look:4400"]);
  });

  test.each([
    "127.0.0.1",
    "localhost",
    "2130706433",
    "0x7f.1",
    "169.254.169.254",
    "postgres",
    "metadata.evil.example",
  ])("would reach %s by naming it as its container", (container) => {
    expect(serviceHosts(manifest(container), undefined)).toEqual([]);
  });
});
