/** A package host on a temporary folder, with helpers for tests. */
import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fail, type Result } from "@capstan/core";
import type { PackageRecord } from "../../packages/runtime/src/db/schema/package-record.ts";
import {
  createPackageHost,
  type PackageHost,
  probeIsolationFor,
} from "../../packages/runtime/src/install/create-package-host.ts";
import type { PackageStore } from "../../packages/runtime/src/install/package-store.ts";

export async function packageHostIn(
  store: PackageStore,
  dataDir: string,
  ownerOf: (capability: string) => string | undefined = () => undefined,
  env: Record<string, string> = {},
): Promise<PackageHost> {
  return createPackageHost({
    dataDir,
    isolation: await probeIsolationFor(dataDir),
    store,
    lockPath: join(dataDir, "capstan.lock"),
    toolEnvironment: { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "", ...env },
    download: async (url) => fail("url_invalid", { url }),
    ownerOf,
    now: () => new Date("2026-01-01T00:00:00Z"),
    helpTimeoutMs: 2500,
  });
}

export function value<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(`${result.failure.code}: ${result.failure.message}`);
  return result.value;
}

export function filesIn(folder: string): string[] {
  const found = readdirSync(folder, { recursive: true, withFileTypes: true });
  return found.filter((entry) => !entry.isDirectory()).map(({ name }) => name);
}

/** Runs the demo command of an installed package, and reads what it prints. */
export async function answerOf(host: PackageHost, record: PackageRecord, args: string[]): Promise<unknown> {
  const [command = "", ...first] = value(await host.placed.commandLine(record, "aech-cli-demo")).argv;
  const env = { HOME: "/nowhere" };
  return JSON.parse(execFileSync(command, [...first, ...args], { encoding: "utf8", env }));
}
