/**
 * Packages in one call, for the server: install and uninstall with the registry in sync, commands
 * as tools, background services, and the drop folder.
 */
import { mkdir, readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import {
  type CapabilityRegistry,
  type Failure,
  fail,
  type GuardedFetch,
  type Manifest,
  ok,
  type Result,
} from "@capstan/core";
import type { CommandIsolation } from "../commands/command-isolation.ts";
import type { Database } from "../db/database.ts";
import { type DatabaseRetry, withoutRetry } from "../db/database-retry.ts";
import type { PackageRecord } from "../db/schema/package-record.ts";
import { ServiceSupervisor } from "../services/service-supervisor.ts";
import { type CliParts, cliCapability, type SecretsFor } from "../sources/cli.ts";
import { type OperatorNetwork, operatorNetwork } from "../sources/operator-network.ts";
import type { BoundSecrets } from "../sources/secrets.ts";
import { ServiceBreaker } from "../sources/service-breaker.ts";
import { SessionFolders, sweepDeadFolders } from "../sources/session-folders.ts";
import { forgetCapability } from "../sources/user-home.ts";
import { bundledSkills } from "./bundled-skills.ts";
import { createPackageHost, type PackageHost, probeIsolationFor } from "./create-package-host.ts";
import { documentKind, documentLoader } from "./document-kind.ts";
import type { PackageSource } from "./fetch-package.ts";
import type { InstallOptions } from "./installer.ts";
import { mcpKind, mcpLoader } from "./mcp-kind.ts";
import { operatorSettings } from "./npm-program.ts";
import { openApiKind, openApiLoader } from "./openapi-kind.ts";
import { type PackageLoader, type PackageLoaders, PackageRegistry } from "./package-registry.ts";
import type { PackageReview } from "./package-review.ts";
import type { PackageStore } from "./package-store.ts";
import { packageStore } from "./package-store.ts";
import type { WaitingPackage } from "./scan-packages.ts";
import { skillKind, skillLoader } from "./skill-kind.ts";
import type { WrapProposal, WrapRequest } from "./wrap-command.ts";

const SWEEP_MS = 10 * 60 * 1000;

export interface PackagesOptions {
  readonly dataDir: string;
  readonly database: Pick<Database, "orm">;
  readonly registry: CapabilityRegistry;
  readonly lockPath: string;
  /** For pip and npm: the registry and proxy settings of the operator's environment. Packages never see it. */
  readonly toolEnvironment: Readonly<Record<string, string>>;
  /** The operator explicitly allowed running packages on a system that cannot isolate them. */
  readonly allowsUnseparated?: boolean;
  /** Hosts that packages may reach although they are not public, as in CAPSTAN_ALLOW_HOSTS. */
  readonly allowHosts?: readonly string[] | undefined;
  /** The guarded network: for OpenAPI documents at a URL and MCP servers with a URL. */
  readonly fetch: GuardedFetch;
  /** Secrets of the server's settings, for `${NAME}` in MCP declarations and OpenAPI calls. */
  readonly settings?: BoundSecrets;
  /** A capability's secrets by name, for a call of this user; undefined = those shared by all users. */
  readonly secretsFor?: SecretsFor;
  readonly onError: (error: unknown) => void;
  readonly now: () => Date;
  readonly withRetry?: DatabaseRetry;
}

export interface Packages {
  readonly services: ServiceSupervisor;
  list(): Promise<{ record: PackageRecord; problem?: Failure }[]>;
  /** The manifest of a capability; undefined when it does not come from an installed command. */
  manifestOf(capability: string): Manifest | undefined;
  /** Archives in `capabilities/clis/` that are not installed. */
  waiting(): Promise<WaitingPackage[]>;
  review(source: PackageSource, options?: { runToDescribe?: boolean }): Promise<Result<PackageReview>>;
  install(
    source: PackageSource,
    options: InstallOptions,
  ): Promise<Result<{ record: PackageRecord; review: PackageReview }>>;
  /** A package for a program that knows nothing of Capstan: files to edit and install. Runs its `--help`, isolated. */
  wrap(request: WrapRequest): Promise<Result<WrapProposal>>;
  /** `kept`: folders with users' own data, which are theirs to delete. */
  uninstall(name: string): Promise<Result<{ record: PackageRecord; kept: string[] }>>;
  close(): Promise<void>;
}

export async function openPackages(options: PackagesOptions): Promise<Packages> {
  const { dataDir, registry } = options;
  const store = packageStore(options.database);
  await mkdir(join(dataDir, "capabilities", "clis"), { recursive: true });
  const owners = new Map<string, string>();
  const manifests = new Map<string, Manifest>();
  const { allowsUnseparated, allowHosts, toolEnvironment: tool } = options;
  const upstreamProxy = tool.HTTPS_PROXY ?? tool.https_proxy ?? tool.HTTP_PROXY ?? tool.http_proxy;
  const isolation = await probeIsolationFor(dataDir, { allowsUnseparated, allowHosts, upstreamProxy });
  const mcp = mcpParts(options, isolation);
  const host = createPackageHost({
    ...options,
    store,
    isolation,
    download: (url) => download(options.fetch, url),
    otherKinds: { mcp: mcpKind(mcp), skill: skillKind, openapi: openApiKind, document: documentKind },
    ownerOf: (capability, name) => ownerOf(capability, name, registry, owners),
  });
  const path = `${dirname(process.execPath)}:${options.toolEnvironment.PATH ?? "/usr/bin:/bin"}`;
  const services = new ServiceSupervisor({ dataDir, isolation, path });
  const work = join(dataDir, "work");
  await sweepDeadFolders(work);
  const nowMs = () => options.now().getTime();
  const folders = new SessionFolders(work, nowMs);
  const command = commandLoader(
    { owners, manifests, host },
    {
      dataDir,
      isolation,
      folders,
      breaker: new ServiceBreaker(nowMs),
      secretsFor: mcp.secretsFor,
      commandLine: (record, name) => host.placed.commandLine(record, name),
      serviceUrl: (capability) => services.serviceUrl(capability),
    },
  );
  const loaders: PackageLoaders = {
    wheel: command,
    npm: command,
    mcp: mcpLoader(store, mcp),
    skill: skillLoader((record) => host.placed.folderOf(record)),
    openapi: openApiLoader(store, mcp.settings),
    document: documentLoader(store, mcp.settings),
  };
  const loaded = new PackageRegistry({ store, registry, loaders });
  const withRetry = options.withRetry ?? withoutRetry;
  await withRetry(() => loaded.sync());
  await withRetry(() => host.placed.sweep(nowMs()));
  loaded.start(options.onError);
  const sweeper = setInterval(() => void folders.sweep().catch(options.onError), SWEEP_MS);
  sweeper.unref();
  const close = async () => {
    clearInterval(sweeper);
    await loaded.stop();
    await services.close();
    await folders.close();
    await isolation.networks?.close();
  };
  return {
    services,
    manifestOf: (capability) => manifests.get(capability),
    waiting: host.waiting,
    wrap: host.wrap,
    review: host.installer.review,
    ...changes(host, loaded, store, dataDir),
    close,
  };
}

function mcpParts(options: PackagesOptions, isolation: CommandIsolation) {
  let network: Promise<OperatorNetwork> | undefined;
  const operator = () => {
    network ??= operatorSettings(options.toolEnvironment).then((npmrc) =>
      operatorNetwork(options.toolEnvironment, npmrc),
    );
    return network;
  };
  const secretsFor: SecretsFor = options.secretsFor ?? (async () => ({}));
  const { fetch, settings = () => undefined } = options;
  return { fetch, settings, isolation, operator, secretsFor };
}

/** Operations that change what is installed; the registry is updated before they return. */
function changes(
  host: PackageHost,
  loaded: PackageRegistry,
  store: PackageStore,
  dataDir: string,
): Pick<Packages, "list" | "install" | "uninstall"> {
  return {
    async list() {
      const all = await store.list();
      return all.map((record) => {
        const problem = loaded.problems.get(record.name);
        return { record, ...(problem && { problem }) };
      });
    },
    async install(source, options) {
      const installed = await host.installer.install(source, options);
      await loaded.sync();
      return installed;
    },
    async uninstall(name) {
      const removed = await host.installer.uninstall(name);
      await loaded.sync();
      if (!removed.ok) return removed;
      const { capability } = removed.value.description;
      const emails = await readdir(join(dataDir, "users")).catch((): string[] => []);
      const kept = capability ? await forgetCapability(dataDir, emails, capability) : [];
      return ok({ record: removed.value, kept });
    },
  };
}

async function download(fetch: GuardedFetch, url: string): Promise<Result<Uint8Array>> {
  const answer = await fetch(url);
  if (!answer.ok) return answer;
  if (!answer.value.ok)
    return fail("package_download_failed", { source: url, why: `it answered ${answer.value.status}` });
  return ok(new Uint8Array(await answer.value.arrayBuffer())); // the server's own `Response` has no working `bytes()`
}

interface Known {
  readonly owners: Map<string, string>;
  readonly manifests: Map<string, Manifest>;
  readonly host: PackageHost;
}

/** Records which package registered which capability, with its manifest. */
function commandLoader({ owners, manifests, host }: Known, parts: CliParts): PackageLoader {
  return async (record) => {
    const { manifest } = record.description;
    if (!manifest) return fail("package_broken", { name: record.name, why: "it has no manifest" });
    owners.set(manifest.name, record.name);
    manifests.set(manifest.name, manifest);
    const folder = manifest.bundled_skills?.length ? await host.placed.folderOf(record) : undefined;
    const skills = folder?.ok ? await bundledSkills(folder.value, manifest) : [];
    return ok({
      capabilities: [cliCapability(record, manifest, parts), ...skills],
      async close() {
        // An update is loaded before its predecessor is closed.
        if (manifests.get(manifest.name) === manifest) manifests.delete(manifest.name);
      },
    });
  };
}

/** A capability registered by a package belongs to it; any other belongs to the server. */
function ownerOf(
  capability: string,
  name: string,
  registry: CapabilityRegistry,
  owners: ReadonlyMap<string, string>,
): string | undefined {
  if (!registry.has(capability)) return undefined;
  const owner = owners.get(capability);
  if (owner === name) return undefined;
  return owner ? `the package ${owner}` : "a capability of the server itself";
}
