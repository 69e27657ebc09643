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
import { semverOf } from "@capstan/core/internal";
import type { BrokenAgent, ChangeParts } from "../agents/broken-agents.ts";
import type { CommandIsolation } from "../commands/command-isolation.ts";
import { FailedOutputs } from "../commands/failed-outputs.ts";
import type { McpAccounts } from "../connections/mcp-accounts.ts";
import type { Database } from "../db/database.ts";
import { type DatabaseRetry, withoutRetry } from "../db/database-retry.ts";
import type { PackageRecord } from "../db/schema/package-record.ts";
import { ServiceSupervisor } from "../services/service-supervisor.ts";
import type { CliParts, SecretsFor } from "../sources/cli.ts";
import { type OperatorNetwork, operatorNetwork } from "../sources/operator-network.ts";
import type { BoundSecrets } from "../sources/secrets.ts";
import { ServiceBreaker } from "../sources/service-breaker.ts";
import { SessionFolders, sweepDeadFolders } from "../sources/session-folders.ts";
import { forgetCapability } from "../sources/user-home.ts";
import { createPackageHost, type PackageHost, probeIsolationFor } from "./create-package-host.ts";
import { documentKind } from "./document-kind.ts";
import type { PackageSource } from "./fetch-package.ts";
import type { Installed, InstallOptions } from "./installer.ts";
import { LinkedFolders } from "./linked-folders.ts";
import { mcpKind } from "./mcp-kind.ts";
import { operatorSettings } from "./npm-program.ts";
import { openApiKind } from "./openapi-kind.ts";
import { keepingOf } from "./package-kind.ts";
import {
  type AgentGuard,
  agentGuard,
  candidateCapabilities,
  keptLoaders,
  storedLoaders,
} from "./package-loaders.ts";
import { PackageRegistry } from "./package-registry.ts";
import type { PackageReview } from "./package-review.ts";
import type { PackageStore } from "./package-store.ts";
import { packageStore } from "./package-store.ts";
import { idsIn } from "./package-versions.ts";
import type { WaitingPackage } from "./scan-packages.ts";
import { skillKind } from "./skill-kind.ts";
import type { WrapProposal, WrapRequest } from "./wrap-command.ts";

const SWEEP_MS = 10 * 60 * 1000;

export interface PackagesOptions {
  readonly dataDir: string;
  readonly database: Pick<Database, "orm">;
  readonly registry: CapabilityRegistry;
  /** Agents, which an update or an uninstallation may break; unchecked when absent. */
  readonly agents?: ChangeParts["agents"];
  readonly lockPath: string;
  /** For pip and npm: the registry and proxy settings of the operator's environment. Packages never see it. */
  readonly toolEnvironment: Readonly<Record<string, string>>;
  /** The operator explicitly allowed running packages on a system that cannot isolate them. */
  readonly allowsUnseparated?: boolean;
  /** Set for organisations after the first. */
  readonly organisation?: string | undefined;
  /** Hosts that packages may reach although they are not public, as in CAPSTAN_ALLOW_HOSTS. */
  readonly allowHosts?: readonly string[] | undefined;
  /** The guarded network: for OpenAPI documents at a URL and MCP servers with a URL. */
  readonly fetch: GuardedFetch;
  /** Secrets of the server's settings, for `${NAME}` in MCP declarations and OpenAPI calls. */
  readonly settings?: BoundSecrets;
  /** A capability's secrets by name, for a call of this user; undefined = those shared by all users. */
  readonly secretsFor?: SecretsFor;
  /** For MCP servers that want a login; without it they are refused. */
  readonly mcpAccounts?: McpAccounts | undefined;
  readonly onError: (error: unknown) => void;
  /** A linked folder changed and was installed again. */
  readonly onLinkedUpdate?: (record: PackageRecord) => Promise<void>;
  readonly now: () => Date;
  readonly withRetry?: DatabaseRetry;
}

export interface Packages {
  readonly services: ServiceSupervisor;
  /** What failed commands printed. */
  readonly outputs: FailedOutputs;
  list(): Promise<{ record: PackageRecord; problem?: Failure }[]>;
  /** The manifest of a capability; undefined when it does not come from an installed command. */
  manifestOf(capability: string): Manifest | undefined;
  /** Archives in `capabilities/clis/` that are not installed. */
  waiting(): Promise<WaitingPackage[]>;
  review(
    source: PackageSource,
    options?: { user?: string; runToDescribe?: boolean },
  ): Promise<Result<PackageReview>>;
  install(source: PackageSource, options: InstallOptions): Promise<Result<Installed>>;
  /** Proposes a package for a program that was not made for Capstan: files to edit and install. Runs its `--help`, isolated. */
  wrap(request: WrapRequest): Promise<Result<WrapProposal>>;
  /** Refused when agents would break, unless forced. `kept`: folders with users' data, which only they delete. */
  uninstall(
    name: string,
    options?: { readonly force?: boolean },
  ): Promise<Result<{ record: PackageRecord; kept: string[]; broken: readonly BrokenAgent[] }>>;
  /** The installed and kept versions of the package that a capability comes from; empty if no package does. */
  versions(capability: string): Promise<readonly PackageRecord[]>;
  /** All capabilities that its package registered. */
  broughtWith(capability: string): readonly string[];
  /** Deletes a kept version. */
  removeVersion(capability: string, version: string): Promise<Result<true>>;
  close(): Promise<void>;
}

export async function openPackages(options: PackagesOptions): Promise<Packages> {
  const { dataDir, registry, withRetry = withoutRetry } = options;
  const store = packageStore(options.database);
  await mkdir(join(dataDir, "capabilities", "clis"), { recursive: true });
  const manifests = new Map<string, Manifest>();
  const isolation = await isolationOf(options);
  const mcp = mcpParts(options, isolation);
  const host = createPackageHost({
    ...options,
    store,
    isolation,
    download: (url) => download(options.fetch, url),
    otherKinds: { mcp: mcpKind(mcp), skill: skillKind, openapi: openApiKind, document: documentKind },
    ownerOf: (capability, name) => ownerOf(capability, name, registry, loaded),
    checkUpdate: async (candidate, { force }) => {
      const after = await candidateCapabilities(loading, candidate);
      const { name } = candidate.record;
      const versions = versionsAfterUpdate(await store.get(name), host, registry);
      return after.ok ? guard(name, after.value, { force, versions }) : after;
    },
  });
  const path = `${dirname(process.execPath)}:${options.toolEnvironment.PATH ?? "/usr/bin:/bin"}`;
  const ownerOfName = (name: string, folder: string) =>
    ownerOfService({ name, folder }, { store, registry, loaded });
  const services = new ServiceSupervisor({ dataDir, isolation, path, ownerOf: ownerOfName });
  const nowMs = () => options.now().getTime();
  const folders = await openWork(dataDir, nowMs);
  const outputs = new FailedOutputs(dataDir);
  const cli: CliParts = {
    dataDir,
    isolation,
    folders,
    outputs,
    breaker: new ServiceBreaker(nowMs),
    secretsFor: mcp.secretsFor,
    commandLine: (record, name) => host.placed.commandLine(record, name),
    serviceUrl: (capability) => services.serviceUrl(capability),
  };
  const loading = { cli, mcp, folderOf: (record: PackageRecord) => host.placed.folderOf(record) };
  const loaders = storedLoaders(loading, store, manifests);
  const loaded = new PackageRegistry({ store, registry, loaders, keptLoaders: keptLoaders(loading, store) });
  const guard = agentGuard(options.agents && { agents: options.agents, registry }, loaded);
  await withRetry(() => loaded.sync());
  await withRetry(() => host.placed.sweep(nowMs()));
  loaded.start(options.onError);
  const linked = watchLinked(options, host, store, loaded);
  const sweeper = setInterval(() => void folders.sweep().catch(options.onError), SWEEP_MS);
  sweeper.unref();
  const close = async () => {
    clearInterval(sweeper);
    await linked.stop();
    await loaded.stop();
    await services.close();
    await folders.close();
    await isolation.networks?.close();
  };
  return {
    services,
    outputs,
    manifestOf: (capability) => manifests.get(capability),
    waiting: host.waiting,
    wrap: host.wrap,
    review: host.installer.review,
    ...changes({ host, loaded, store, dataDir, guard, linked }),
    close,
  };
}

async function openWork(dataDir: string, nowMs: () => number): Promise<SessionFolders> {
  const work = join(dataDir, "work");
  await sweepDeadFolders(work);
  return new SessionFolders(work, nowMs);
}

/** Versions that agents can stay on after `before` is replaced. */
function versionsAfterUpdate(
  before: PackageRecord | undefined,
  { kinds }: PackageHost,
  registry: CapabilityRegistry,
) {
  const ids = before && keepingOf(kinds)(before) !== "no" ? idsIn(before) : [];
  return ids.flatMap((id) => registry.versionsOf(id));
}

function isolationOf(options: PackagesOptions): Promise<CommandIsolation> {
  const { dataDir, allowsUnseparated, allowHosts, organisation, toolEnvironment: tool } = options;
  const upstreamProxy = tool.HTTPS_PROXY ?? tool.https_proxy ?? tool.HTTP_PROXY ?? tool.http_proxy;
  return probeIsolationFor(dataDir, { allowsUnseparated, allowHosts, upstreamProxy, organisation });
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
  const { fetch, settings = () => undefined, mcpAccounts } = options;
  return { fetch, settings, isolation, operator, secretsFor, mcpAccounts };
}

function watchLinked(
  { onError, onLinkedUpdate }: PackagesOptions,
  { installer }: PackageHost,
  store: PackageStore,
  loaded: PackageRegistry,
): LinkedFolders {
  const linked = new LinkedFolders({
    store,
    installer,
    onError,
    async onUpdate(record) {
      await loaded.sync();
      await onLinkedUpdate?.(record);
    },
  });
  linked.start();
  return linked;
}

/** Operations that change what is installed; the registry is updated before they return. */
function changes({
  host,
  loaded,
  store,
  dataDir,
  guard,
  linked,
}: {
  readonly host: PackageHost;
  readonly loaded: PackageRegistry;
  readonly store: PackageStore;
  readonly dataDir: string;
  readonly guard: AgentGuard;
  readonly linked: LinkedFolders;
}): Pick<Packages, "list" | "install" | "uninstall" | "versions" | "broughtWith" | "removeVersion"> {
  return {
    async list() {
      const all = await store.list();
      return all.map((record) => {
        const problem = loaded.problems.get(record.name) ?? linked.problems.get(record.name);
        return { record, ...(problem && { problem }) };
      });
    },
    async versions(id) {
      const name = loaded.ownerOf(id);
      const record = name === undefined ? undefined : await store.get(name);
      if (name === undefined || !record) return [];
      return [record, ...(await store.earlier(name))].filter((each) => idsIn(each).includes(id));
    },
    broughtWith: (id) => loaded.idsOf(loaded.ownerOf(id) ?? ""),
    async removeVersion(id, version) {
      const name = loaded.ownerOf(id) ?? "";
      const record = (await store.earlier(name)).find(
        (each) => semverOf(each.version) === version && idsIn(each).includes(id),
      );
      const removed = record !== undefined && (await store.removeKept(name, record.version));
      if (removed && !(await store.hashes()).has(record.sha256)) await host.placed.remove(record.sha256);
      await loaded.sync();
      return removed ? ok(true) : fail("not_found", { what: `kept version of "${id}"`, id: version });
    },
    async install(source, options) {
      const installed = await host.installer.install(source, options);
      await loaded.sync();
      return installed;
    },
    async uninstall(name, { force = false } = {}) {
      const broken = await guard(name, [], { force });
      if (!broken.ok) return broken;
      const removed = await host.installer.uninstall(name);
      await loaded.sync();
      if (!removed.ok) return removed;
      const { capability } = removed.value.description;
      const emails = await readdir(join(dataDir, "users")).catch((): string[] => []);
      const kept = capability ? await forgetCapability(dataDir, emails, capability) : [];
      return ok({ record: removed.value, kept, broken: broken.value });
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

/** A package that was installed without its service's folder may have it anywhere: whoever starts it says where. */
async function ownerOfService(
  { name, folder }: { readonly name: string; readonly folder: string },
  { store, registry, loaded }: { store: PackageStore; registry: CapabilityRegistry; loaded: PackageRegistry },
): Promise<string | undefined> {
  const owner = await store.get(loaded.ownerOf(name) ?? "");
  if (owner === undefined) return ownerOf(name, "", registry, loaded);
  const hasService = owner.description.role === "rt" || owner.description.service !== undefined;
  if (!hasService) return `the package ${owner.name}, which has no service`;
  const { service_folder: own = folder } = owner;
  return own === folder ? undefined : `the package ${owner.name}, whose service is in ${own}`;
}

/** A capability registered by a package belongs to it; any other belongs to the server. */
function ownerOf(
  capability: string,
  name: string,
  registry: CapabilityRegistry,
  loaded: PackageRegistry,
): string | undefined {
  if (!registry.has(capability)) return undefined;
  const owner = loaded.ownerOf(capability);
  if (owner === name) return undefined;
  return owner ? `the package ${owner}` : "a capability of the server itself";
}
