import { describe, expect, test } from "vitest";
import { z } from "zod";
import { z as z3 } from "zod/v3";
import { defineCapability } from "./capability.ts";
import { CapabilityRegistry } from "./registry.ts";
import { ok } from "./result.ts";
import { defineTool } from "./tool.ts";

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

  describe("with kept versions", () => {
    const version = (text: string) => ({ ...capability("a"), version: text });
    const registry = CapabilityRegistry.of([version("2.0.0")]);
    registry.keepVersions("a", ["1.0.0", "1.10.0", "1.9.0", "2.0.0", "1.11.0-beta"].map(version));

    test.each([
      [undefined, "2.0.0"],
      ["^2.0.0", "2.0.0"],
      ["1.0.0", "1.0.0"],
      ["^1.0.0", "1.10.0"],
      ["~1.9.0", "1.9.0"],
      ["1.x", "1.10.0"],
      ["1.11.0-beta", "1.11.0-beta"],
    ])("the pin %j leads to %s", (pin, expected) => {
      expect(registry.resolve({ id: "a", version: pin })).toMatchObject({ value: { version: expected } });
    });

    test("a pin that no version fits is refused with those that are there", () => {
      expect(registry.resolve({ id: "a", version: "3.x" })).toMatchObject({
        failure: { code: "capability_version_mismatch", message: expect.stringContaining("1.10.0") },
      });
    });

    test("the registered version stays the only one for lists, and every version goes with it", () => {
      expect(registry.list()).toHaveLength(1);
      const other = CapabilityRegistry.of([version("2.0.0")]);
      other.keepVersions("a", [version("1.0.0")]);
      other.remove("a");
      expect(other.versionsOf("a")).toEqual([]);
      other.register(version("3.0.0"));
      expect(other.resolve({ id: "a", version: "1.0.0" }).ok).toBe(false);
    });

    test("a version of another capability is not kept", () => {
      expect(registry.keepVersions("a", [capability("b")]).ok).toBe(false);
      expect(registry.versionsOf("a")).toHaveLength(5);
    });
  });

  test.each(["", "A", "with space", "ü", "x".repeat(51), "a/b"])("refuses the id %j by name", (id) => {
    const result = new CapabilityRegistry().register(capability(id));
    expect(result).toMatchObject({
      ok: false,
      failure: { code: "capability_id_invalid", message: expect.stringContaining(`"${id}"`) },
    });
  });

  test.each(["a", "web_fetch", "company.plan", "x".repeat(50), "a-1"])("accepts the id %j", (id) => {
    expect(new CapabilityRegistry().register(capability(id)).ok).toBe(true);
  });

  test("refuses a zod 3 schema, names tool and capability, and stays unchanged", () => {
    const foreign = z3.object({ sides: z3.number() }) as unknown as z.ZodType;
    const roll = defineTool({ name: "roll", description: "Rolls.", input: foreign, run: () => ok(1) });
    const registry = CapabilityRegistry.of([capability("a")]);
    expect(registry.register({ ...capability("dice"), tools: [roll] })).toMatchObject({
      ok: false,
      failure: {
        code: "schema_foreign",
        message: 'The schema of "roll" in "dice" is not a zod 4 schema.',
        nextStep: expect.stringContaining("npm install zod@4"),
      },
    });
    expect(registry.list().map(({ id }) => id)).toEqual(["a"]);
    expect(roll.input.jsonSchema).toEqual({});
  });

  test("refuses a schema that was not made by defineTool, such as a plain zod one", () => {
    const roll = defineTool({ name: "roll", description: "Rolls.", input: z.object({}), run: () => ok(1) });
    const bare = { ...roll, input: z.object({}) as unknown as typeof roll.input };
    const result = new CapabilityRegistry().register({ ...capability("dice"), tools: [bare] });
    expect(result).toMatchObject({ ok: false, failure: { code: "schema_foreign" } });
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

  test("notifies listeners of each change until they unsubscribe", () => {
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
