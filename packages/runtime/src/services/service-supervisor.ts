/**
 * `capstan services start | stop | status | logs` on machines without Docker. The list of services to run is stored in a file,
 * so that a restarted server restarts them; processes left by a dead server are stopped first.
 */
import { existsSync, readFileSync } from "node:fs";
import { mkdir, readFile, rename, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join, resolve } from "node:path";
import { fail, ok, type Result } from "@capstan/core";
import { z } from "zod";
import { type CommandIsolation, ownerOf, uidIn } from "../commands/command-isolation.ts";
import { environmentPython } from "../commands/program-files.ts";
import { openBelow } from "../files/open-folder.ts";
import { readPlainText } from "../files/plain-file.ts";
import { prepareUserHome } from "../sources/user-home.ts";
import { readServiceFolder } from "./compose-file.ts";
import { type PlannedVolume, planService, type ServicePlan } from "./service-plan.ts";
import { MAX_LOG_BYTES, type ServiceState, SupervisedProcess } from "./supervised-process.ts";

const Wanted = z.record(
  z.string(),
  z.object({ folder: z.string(), port: z.int(), enabled: z.boolean(), pid: z.int().optional() }),
);
type Wanted = z.infer<typeof Wanted>;

const LOG_LINES = 200;
const LOG_BYTES = 256 * 1024;

export interface ServiceStatus extends ServiceState {
  readonly name: string;
  readonly folder: string;
  readonly url: string;
  readonly user?: string;
}

export interface SupervisorOptions {
  readonly dataDir: string;
  readonly isolation: CommandIsolation;
  /** The PATH for commands such as python3 and node. */
  readonly path: string;
  /** Files of programs outside the system's own folders, such as a Python of a version manager. */
  readonly programs?: readonly string[];
  /** Whose name this is, if not this folder's: a name decides whose data and triggers a service has. */
  readonly ownerOf?: (name: string, folder: string) => Promise<string | undefined>;
  readonly firstPauseMs?: number;
}

export class ServiceSupervisor {
  readonly #options: SupervisorOptions;
  readonly #running = new Map<string, SupervisedProcess>();
  #wanted: Wanted = {};
  #loading: Promise<void> | undefined;
  #saving: Promise<void> = Promise.resolve();

  constructor(options: SupervisorOptions) {
    this.#options = options;
  }

  /** Restarts what ran before. A service that can no longer be started is skipped and returned. */
  async resume(): Promise<{ name: string; why: string }[]> {
    await this.#load();
    const failed: { name: string; why: string }[] = [];
    for (const [name, { folder, enabled, pid }] of Object.entries(this.#wanted)) {
      if (pid !== undefined) stopLeftover(pid, folder);
      if (!enabled) continue;
      const started = await this.start(folder);
      if (!started.ok) failed.push({ name, why: started.failure.message });
    }
    return failed;
  }

  async start(folder: string): Promise<Result<ServiceStatus>> {
    const spec = await readServiceFolder(resolve(folder));
    if (!spec.ok) return spec;
    const { name } = spec.value;
    const other = await this.#ownerOf(name, spec.value.folder);
    if (other !== undefined)
      return fail("service_invalid", { folder, why: `the name "${name}" belongs to ${other}` });
    const running = this.#running.get(name);
    if (running && running.state.state !== "stopped") return ok(this.#statusOf(running));
    const given = Number(spec.value.env.PORT);
    const port = Number.isInteger(given) && given > 0 && (await isFree(given)) ? given : await freePort();
    const plan = planService(spec.value, {
      dataDir: resolve(this.#options.dataDir),
      port,
      path: await programPath(spec.value.folder, this.#options.path),
    });
    if (!plan.ok) return plan;
    const prepared = await this.#prepare(plan.value);
    if (!prepared.ok) return prepared;
    const supervised = new SupervisedProcess(plan.value, {
      logPath: this.#logPath(name),
      isolation: this.#options.isolation,
      uid: prepared.value,
      programs: [...(this.#options.programs ?? []), ...environmentPython(spec.value.folder)],
      firstPauseMs: this.#options.firstPauseMs,
      onPid: (pid) => this.#remember(name, plan.value, pid),
    });
    this.#running.set(name, supervised);
    await supervised.start();
    return ok(this.#statusOf(supervised));
  }

  async stop(name: string): Promise<Result<ServiceStatus>> {
    const running = this.#running.get(name);
    if (!running) return fail("not_found", { what: "service", id: name });
    await running.stop();
    const wanted = this.#wanted[name];
    if (wanted) this.#wanted[name] = { ...wanted, enabled: false };
    await this.#save();
    return ok(this.#statusOf(running));
  }

  status(): ServiceStatus[] {
    return [...this.#running.values()]
      .map((each) => this.#statusOf(each))
      .sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** The address of a capability's service, while it is supervised here. */
  serviceUrl(name: string): string | undefined {
    const running = this.#running.get(name);
    return running && running.state.state !== "stopped" ? running.plan.url : undefined;
  }

  async logs(name: string, lines = LOG_LINES): Promise<Result<string>> {
    if (!this.#wanted[name]) return fail("not_found", { what: "service", id: name });
    const text = (await readPlainText(this.#logPath(name), 2 * MAX_LOG_BYTES)) ?? "";
    return ok(
      text
        .slice(-LOG_BYTES)
        .split("\n")
        .slice(-lines - 1)
        .join("\n"),
    );
  }

  /** Stops all, but keeps them in the list, so that the next start runs them again. */
  async close(): Promise<void> {
    await Promise.all([...this.#running.values()].map((each) => each.stop()));
    await this.#save();
  }

  /** Creates the folders and gives them to the user the service runs as; returns that user. */
  async #prepare(plan: ServicePlan): Promise<Result<number>> {
    const { dataDir, isolation } = this.#options;
    await mkdir(join(dataDir, "services"), { recursive: true });
    const uid = uidIn(isolation, plan.user ?? `${plan.name}@service.invalid`);
    const owner = ownerOf(isolation, uid);
    const home = plan.user === undefined ? undefined : join(resolve(dataDir), "users", plan.user);
    if (plan.user !== undefined && plan.volumes.some(({ source }) => source === home)) {
      const prepared = await prepareUserHome(dataDir, {
        email: plan.user,
        capability: plan.name,
        uid: owner,
      });
      if (!prepared.ok) return prepared;
    }
    const own = plan.volumes.filter(({ source, isShared }) => source !== home && !isShared);
    for (const volume of own) {
      if (!(await giveVolume(volume, plan.volumes, owner)))
        return fail("service_invalid", { folder: plan.folder, why: `${volume.source} is not a folder` });
    }
    return ok(uid);
  }

  #statusOf(running: SupervisedProcess): ServiceStatus {
    const { name, folder, url, user } = running.plan;
    return { name, folder, url, ...(user !== undefined && { user }), ...running.state };
  }

  #remember(name: string, { folder, env }: ServicePlan, pid: number | undefined): void {
    this.#wanted[name] = { folder, port: Number(env.PORT), enabled: true, ...(pid !== undefined && { pid }) };
    void this.#save();
  }

  #save(): Promise<void> {
    this.#saving = this.#saving.then(async () => {
      const path = this.#wantedPath();
      await writeFile(`${path}.tmp`, JSON.stringify(this.#wanted, null, 2));
      await rename(`${path}.tmp`, path);
    });
    return this.#saving.catch(() => {});
  }

  /** Once: who has which name must be known before the first service starts. */
  #load(): Promise<void> {
    this.#loading ??= (async () => {
      const text = await readFile(this.#wantedPath(), "utf8").catch(() => "{}");
      const parsed = Wanted.safeParse(JSON.parse(text || "{}"));
      this.#wanted = parsed.success ? parsed.data : {};
    })();
    return this.#loading;
  }

  /** A stopped service keeps its name, with its data, as long as its folder is there. */
  async #ownerOf(name: string, folder: string): Promise<string | undefined> {
    await this.#load();
    const before = this.#wanted[name]?.folder;
    const isKept =
      before !== undefined && before !== folder && existsSync(join(before, "docker-compose.yml"));
    return isKept ? `the service in ${before}` : this.#options.ownerOf?.(name, folder);
  }

  #wantedPath(): string {
    return join(this.#options.dataDir, "services", "wanted.json");
  }

  #logPath(name: string): string {
    return join(this.#options.dataDir, "services", `${name}.log`);
  }
}

/**
 * Creates a volume with the mount points in it, step by step from its root, and gives it to the service; links are not
 * followed. The outbox stays ours, with the sticky bit: the service can add triggers, but not touch the state folders.
 */
async function giveVolume(
  { root, source, target, isOutbox }: PlannedVolume,
  all: readonly PlannedVolume[],
  owner: number | undefined,
): Promise<boolean> {
  const volume = await openBelow(root, source, { owner: undefined, mode: 0o755, replacesNothing: true });
  if (!volume) return false;
  const server = process.getuid?.() ?? 0;
  if (owner !== undefined)
    await volume.setAccess(isOutbox ? server : owner, owner, isOutbox ? 0o1770 : 0o700);
  if (owner !== undefined && !isOutbox) await volume.giveTo(owner, server); // files put there before it first ran
  for (const inner of all.filter((each) => each.target.startsWith(`${target}/`))) {
    const made = await volume.below(inner.target.slice(target.length).split("/").filter(Boolean), { owner });
    await made?.close();
  }
  await volume.close();
  return true;
}

/** A process id may have been reused; a process started in the service's folder is ours. */
function stopLeftover(pid: number, folder: string): void {
  try {
    const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
    if (words.includes(folder)) process.kill(-pid, "SIGKILL");
  } catch {
    // it has ended, or is not ours
  }
}

function isFree(port: number): Promise<boolean> {
  return listenOn(port).then(
    (found) => found === port,
    () => false,
  );
}

const freePort = (): Promise<number> => listenOn(0);

function listenOn(port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(port, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === "object" && address ? address.port : port));
    });
  });
}

/** A Python service finds its own dependencies and `python` in the virtual environment of its folder, where there is one. */
async function programPath(folder: string, path: string): Promise<string> {
  const programs = join(folder, ".venv", "bin");
  return (await stat(programs).catch(() => undefined)) ? `${programs}:${path}` : path;
}
