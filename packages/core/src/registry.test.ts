import { describe, expect, test } from "vitest";
import { defineCapability } from "./capability.ts";
import { CapabilityRegistry } from "./registry.ts";

const capability = (id: string) => defineCapability({ id, name: id, description: id });

describe("the registry", () => {
  test("refuses a duplicate by name", () => {
    const registry = CapabilityRegistry.of([capability("a")]);
    const result = registry.register(capability("a"));
    expect(result).toMatchObject({
      ok: false,
      failure: { code: "capability_duplicate", message: expect.stringContaining('"a"') },
    });
  });

  test.each(["", "A", "with space", "ü", "x".repeat(51), "a/b"])("refuses the id %j by name", (id) => {
    const result = new CapabilityRegistry().register(capability(id));
    expect(result).toMatchObject({
      ok: false,
      failure: { code: "capability_id_invalid", message: expect.stringContaining(`"${id}"`) },
    });
  });

  test.each(["a", "web_fetch", "company.plan", "x".repeat(50), "a-1"])("takes the id %j", (id) => {
    expect(new CapabilityRegistry().register(capability(id)).ok).toBe(true);
  });

  test("refuses a version that is not semver", () => {
    const bad = defineCapability({ id: "a", name: "a", description: "a", version: "one" });
    expect(new CapabilityRegistry().register(bad).ok).toBe(false);
  });

  test("suggests the nearest ids for an unknown one", () => {
    const registry = CapabilityRegistry.of(["web_fetch", "current_time"].map(capability));
    const result = registry.get("web_fech");
    expect(result.ok === false && result.failure.nextStep).toContain('"web_fetch"');
  });

  test("tells listeners about each change, until they stop listening", () => {
    const registry = new CapabilityRegistry();
    let changes = 0;
    const stop = registry.onChange(() => changes++);
    registry.register(capability("a"));
    registry.replace(capability("a"));
    registry.remove("a");
    registry.remove("a");
    stop();
    registry.register(capability("b"));
    expect(changes).toBe(3);
  });
});
