import { type Capability, CapabilityRegistry, defineCapability, fail, ok } from "@capstan/core";
import { afterEach, describe, expect, test } from "vitest";
import { type FreshStore, STORES } from "../../../../tools/stores-under-test.ts";
import { type Database, openDatabase } from "../db/database.ts";
import type { PackageRecord } from "../db/schema/package-record.ts";
import { PackageRegistry } from "./package-registry.ts";
import { packageStore } from "./package-store.ts";

const opened: { store: FreshStore; database: Database }[] = [];
afterEach(async () => {
  for (const { store, database } of opened.splice(0)) {
    await database.close();
    await store.drop();
  }
});

describe.each(STORES)("packages on $name", ({ fresh }) => {
  test("installed, updated or removed by one process take effect on another", async () => {
    const store = packageStore(await open(fresh));
    const here = new CapabilityRegistry();
    const there = new PackageRegistry({ store, registry: here, loaders });
    await there.sync();
    await store.put(record("one", "1.0.0"), new Uint8Array([1]));
    await store.put(record("two", "1.0.0"), new Uint8Array([2]));
    await there.sync();
    expect(here.list().map(({ id, version }) => `${id} ${version}`)).toEqual(["one 1.0.0", "two 1.0.0"]);
    await store.put(record("one", "1.1.0"), new Uint8Array([3]));
    await there.sync();
    expect(here.get("one")).toMatchObject({ value: { version: "1.1.0" } });
    await store.remove("aech-cli-two");
    await there.sync();
    expect(here.list().map(({ id }) => id)).toEqual(["one"]);
  });

  test("store archives by hash, and drop unreferenced ones", async () => {
    const database = await open(fresh);
    const store = packageStore(database);
    await store.put(record("one", "1.0.0"), new Uint8Array([1, 0, 255]));
    expect([...((await store.archive("sha-one-1.0.0")) ?? [])]).toEqual([1, 0, 255]);
    await store.put(record("one", "1.1.0"), new Uint8Array([2]));
    expect(await store.archive("sha-one-1.0.0")).toBeUndefined();
    expect(await store.get("aech-cli-one")).toEqual(record("one", "1.1.0"));
  });

  test("never replace a capability that someone else registered", async () => {
    const store = packageStore(await open(fresh));
    const registry = CapabilityRegistry.of([
      defineCapability({ id: "one", name: "Built in", description: "x" }),
    ]);
    const packages = new PackageRegistry({ store, registry, loaders });
    await store.put(record("one", "1.0.0"), new Uint8Array([1]));
    await packages.sync();
    expect(registry.get("one")).toMatchObject({ value: { name: "Built in" } });
    expect(packages.problems.get("aech-cli-one")).toMatchObject({ code: "capability_duplicate" });
  });

  test("that cannot be loaded here are listed, and the others work", async () => {
    const store = packageStore(await open(fresh));
    const registry = new CapabilityRegistry();
    const packages = new PackageRegistry({ store, registry, loaders });
    await store.put(record("broken", "1.0.0"), new Uint8Array([1]));
    await store.put(record("works", "1.0.0"), new Uint8Array([2]));
    await packages.sync();
    expect(registry.list().map(({ id }) => id)).toEqual(["works"]);
    expect(packages.problems.get("aech-cli-broken")).toMatchObject({ code: "package_broken" });
  });

  test("that could not be loaded are tried again after a pause, which grows, and not with each change", async () => {
    const store = packageStore(await open(fresh));
    const registry = new CapabilityRegistry();
    let isAway = true;
    let tries = 0;
    const wheel = (each: PackageRecord) => {
      if (each.name !== "aech-cli-slow") return loaders.wheel(each);
      tries += 1;
      return isAway
        ? fail("package_broken", { name: each.name, why: "it does not answer" })
        : loaders.wheel(each);
    };
    const packages = new PackageRegistry({ store, registry, loaders: { wheel } });
    await store.put(record("slow", "1.0.0"), new Uint8Array([1]));
    await packages.sync();
    await store.put(record("other", "1.0.0"), new Uint8Array([2]));
    await packages.sync();
    await packages.retry();
    expect(tries).toBe(1);
    await packages.retry(performance.now() + 31_000);
    await packages.retry(performance.now() + 31_000);
    expect(tries).toBe(2);
    isAway = false;
    await packages.retry(performance.now() + 61_000);
    expect(registry.list().map(({ id }) => id)).toEqual(["other", "slow"]);
    expect(packages.problems.size).toBe(0);
    await packages.retry(performance.now() + 3_600_000);
    expect(tries).toBe(3);
  });

  test("that are removed while they are tried again stay removed, and are closed", async () => {
    const store = packageStore(await open(fresh));
    const registry = new CapabilityRegistry();
    let closed = 0;
    let tries = 0;
    const wheel = async (each: PackageRecord) => {
      tries += 1;
      if (tries === 1) return fail("package_broken", { name: each.name, why: "it does not answer" });
      await store.remove(each.name);
      await packages.sync();
      const loaded = loaders.wheel(each);
      const close = async () => {
        closed += 1;
      };
      return loaded.ok ? ok({ ...loaded.value, close }) : loaded;
    };
    const packages = new PackageRegistry({ store, registry, loaders: { wheel } });
    await store.put(record("gone", "1.0.0"), new Uint8Array([1]));
    await packages.sync();
    await packages.retry(performance.now() + 31_000);
    expect(registry.list()).toEqual([]);
    expect(closed).toBe(1);
    expect(packages.problems.size).toBe(0);
  });

  test("are loaded a few at a time, in their order", async () => {
    const store = packageStore(await open(fresh));
    const registry = new CapabilityRegistry();
    let running = 0;
    let most = 0;
    const wheel = async (each: PackageRecord) => {
      running += 1;
      most = Math.max(most, running);
      await new Promise(setImmediate);
      running -= 1;
      return loaders.wheel(each);
    };
    const names = ["a", "b", "c", "d", "e", "f"];
    for (const [index, name] of names.entries())
      await store.put(record(name, "1.0.0"), new Uint8Array([index]));
    const packages = new PackageRegistry({ store, registry, loaders: { wheel } });
    await packages.sync();
    expect(most).toBe(4);
    expect(registry.list().map(({ id }) => id)).toEqual(names);
  });
});

const loaders = {
  wheel: ({ name, version }: PackageRecord) => {
    const id = name.replace("aech-cli-", "");
    if (id === "broken") return fail("package_broken", { name, why: "it is" });
    return ok({
      capabilities: [defineCapability({ id, name: id, description: id, version })] as [Capability],
    });
  },
};

async function open(fresh: () => Promise<FreshStore>): Promise<Database> {
  const store = await fresh();
  const database = await openDatabase(store);
  if (!database.ok) throw new Error(database.failure.message);
  opened.push({ store, database: database.value });
  return database.value;
}

function record(id: string, version: string): PackageRecord {
  return {
    name: `aech-cli-${id}`,
    kind: "wheel",
    version,
    sha256: `sha-${id}-${version}`,
    size_bytes: 1,
    origin: "x.whl",
    description: {
      name: `aech-cli-${id}`,
      version,
      role: "cli",
      tools: [],
      scopes: [],
      commands: [],
      dependencies: [],
      install_scripts: [],
      skills: [],
      must_run_code: false,
    },
    allow_scripts: false,
    installed_by: "dev@example.com",
    installed_at: "2026-01-01T00:00:00.000Z",
  };
}
