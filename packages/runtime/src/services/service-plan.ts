/**
 * Plans how to start a service's folder: its folders on this machine, its environment, its address.
 * A volume must be the service's own: its user's home, its outbox, its part of the shared data, or a named volume.
 */
import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import { fail, ok, type Result } from "@capstan/core";
import { UserEmail } from "@capstan/core/internal";
import type { ServiceSpec, Volume } from "./compose-file.ts";
import { interpolate } from "./env-file.ts";

export interface ServicePlan {
  readonly name: string;
  readonly folder: string;
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Folders on this machine and where the service sees them. Created before it starts, as Docker does. */
  readonly volumes: readonly PlannedVolume[];
  readonly user: string | undefined;
  readonly url: string;
  /** Set when it serves HTTP, which is when it mounts /data and not a user's home. */
  readonly healthUrl: string | undefined;
}

export interface PlannedVolume {
  /** The folder that `source` is below: what is in between may be the service's, and is walked without following links. */
  readonly root: string;
  readonly source: string;
  readonly target: string;
  /** The server reads triggers from here. */
  readonly isOutbox: boolean;
  /** Belongs to another package and was named by the operator: used if it exists, never created or chowned. */
  readonly isShared: boolean;
}

/** How a service without a container finds its expected folders. */
const VARIABLES: Readonly<Record<string, string>> = {
  "/home/agentaech": "HOME",
  "/triggers/outbox": "TRIGGER_OUTBOX",
  "/data": "DATA_DIR",
};
/** A volume over these would replace the system that the service runs on. */
const SYSTEM = /^\/(bin|boot|dev|etc|lib\w*|proc|run|sbin|sys|usr|nix)?(\/|$)/;
const OUTBOX = "/triggers/outbox";

export function planService(
  spec: ServiceSpec,
  { dataDir, port, path }: { dataDir: string; port: number; path: string },
): Result<ServicePlan> {
  const user = spec.operatorEnv.DELEGATED_USER;
  const invalid = (why: string) => fail("service_invalid", { folder: spec.folder, why });
  if (spec.env.DELEGATED_USER !== user)
    return invalid("DELEGATED_USER chooses whose files it gets, so it counts only in .env, which you write");
  if (user !== undefined && !UserEmail.safeParse(user).success)
    return invalid(`DELEGATED_USER "${user}" is not an e-mail address`);
  const volumes: PlannedVolume[] = [];
  for (const volume of spec.volumes) {
    const planned = planVolume(volume, spec, dataDir);
    if (typeof planned === "string") return invalid(planned);
    volumes.push(...planned);
  }
  const url = `http://127.0.0.1:${port}`;
  const variables = Object.fromEntries(
    volumes.flatMap(({ source, target }) => (VARIABLES[target] ? [[VARIABLES[target], source]] : [])),
  );
  return ok({
    name: spec.name,
    folder: spec.folder,
    command: spec.command,
    env: {
      ...spec.env,
      HOME: variables.HOME ?? variables.DATA_DIR ?? spec.folder,
      ...variables,
      PATH: path,
      LANG: "C.UTF-8",
      PYTHONUNBUFFERED: "1",
      PYTHONDONTWRITEBYTECODE: "1",
      HOST: "127.0.0.1",
      PORT: String(port),
      SERVICE_URL: url,
    },
    volumes,
    user,
    url,
    healthUrl: variables.DATA_DIR === undefined ? undefined : `${url}/health`,
  });
}

/** Returns why not, when it is not the service's own. */
function planVolume(volume: Volume, spec: ServiceSpec, dataDir: string): PlannedVolume[] | string {
  const source = interpolate(volume.source, { AECH_HOST_DATA: dataDir, ...spec.env });
  const target = resolve("/", volume.target);
  if (!isAbsolute(volume.target) || SYSTEM.test(target))
    return `a volume cannot be mounted on ${volume.target}`;
  if (/^[A-Za-z0-9][\w.-]*$/.test(source))
    return [ownVolume(dataDir, join(keptFolder(spec), source), target)];
  const inside = inDataFolder(source, spec, dataDir);
  if (inside !== undefined) return planDataVolume(inside, target, spec, dataDir);
  const inFolder = relative(resolve(spec.folder), resolve(spec.folder, source));
  const isBelow = inFolder !== "" && !inFolder.startsWith("..") && !isAbsolute(inFolder);
  return isBelow
    ? [ownVolume(spec.folder, inFolder, target)]
    : `the volume ${source} is outside the data folder (${dataDir})`;
}

function planDataVolume(
  inside: string,
  target: string,
  spec: ServiceSpec,
  dataDir: string,
): PlannedVolume[] | string {
  if (inside === join("rt_triggers", spec.name)) {
    const outbox = { ...ownVolume(dataDir, inside, target), isOutbox: true };
    if (target !== "/triggers") return [outbox];
    // The queue's own folders stay the server's; the service gets the outbox, and a folder for the rest.
    const rest = ownVolume(dataDir, join(keptFolder(spec), "triggers"), target);
    return [rest, { ...outbox, target: OUTBOX }];
  }
  if (isOwnFolder(inside, spec)) return [ownVolume(dataDir, inside, target)];
  if (!/^app_context\/./.test(inside))
    return `the volume ${inside} of the data folder is not this service's own`;
  const shared = (spec.operatorEnv.CAPSTAN_SHARE ?? "").split(/[\s,]+/);
  if (shared.includes(inside)) return [{ ...ownVolume(dataDir, inside, target), isShared: true }];
  return `the volume ${inside} belongs to another package; to share it, add CAPSTAN_SHARE=${inside} to the service's .env`;
}

const ownVolume = (root: string, inside: string, target: string): PlannedVolume => ({
  root,
  source: join(root, inside),
  target,
  isOutbox: false,
  isShared: false,
});

/** Location of named volumes: no service can write to the folder around its own, so it cannot plant a link there. */
const keptFolder = ({ name }: ServiceSpec): string => join("services", "volumes", name);

/** The path below the data folder; `../data/...` next to the service's folder means the same as in the specification. */
function inDataFolder(source: string, { folder }: ServiceSpec, dataDir: string): string | undefined {
  const path = resolve(folder, source);
  for (const root of [dataDir, resolve(dirname(folder), "data")]) {
    const inside = relative(root, path);
    if (!inside.startsWith("..") && !isAbsolute(inside)) return inside;
  }
  return undefined;
}

function isOwnFolder(inside: string, { name, operatorEnv: { DELEGATED_USER: user } }: ServiceSpec): boolean {
  const home = user === undefined ? undefined : join("users", user);
  const data = join("app_context", name);
  return inside === home || inside === data || inside.startsWith(`${data}/`);
}
