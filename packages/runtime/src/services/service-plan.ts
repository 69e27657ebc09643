/** From a service's folder to what is started: its folders on this machine, its environment, where it is reached. */
import { dirname, join, relative, resolve } from "node:path";
import { fail, ok, type Result } from "@capstan/core";
import { UserEmail } from "@capstan/core/internal";
import type { ServiceSpec } from "./compose-file.ts";
import { interpolate } from "./env-file.ts";

export interface ServicePlan {
  readonly name: string;
  readonly folder: string;
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** To be made before it starts, as Docker makes the folders of volumes. */
  readonly folders: readonly string[];
  readonly user: string | undefined;
  readonly url: string;
  /** Set when it answers HTTP, which is when it mounts /data and not a user's home. */
  readonly healthUrl: string | undefined;
}

/** What a folder inside the container is called in the service's environment when there is no container. */
const TARGETS: Readonly<Record<string, string>> = {
  "/home/agentaech": "HOME",
  "/triggers/outbox": "TRIGGER_OUTBOX",
  "/data": "DATA_DIR",
};

export function planService(
  spec: ServiceSpec,
  { dataDir, port, path }: { dataDir: string; port: number; path: string },
): Result<ServicePlan> {
  const user = spec.env.DELEGATED_USER;
  if (user !== undefined && !UserEmail.safeParse(user).success) {
    return fail("service_invalid", {
      folder: spec.folder,
      why: `DELEGATED_USER "${user}" is no e-mail address`,
    });
  }
  const folders: Record<string, string> = {};
  for (const { source, target } of spec.volumes) {
    const name = TARGETS[target];
    if (name === undefined)
      return fail("service_invalid", {
        folder: spec.folder,
        why: `nothing is known of the folder ${target}`,
      });
    const place = hostFolder(interpolate(source, spec.env), spec.folder, dataDir);
    if (place === undefined)
      return fail("service_invalid", {
        folder: spec.folder,
        why: `the volume ${source} lies outside of the data folder`,
      });
    folders[name] = place;
  }
  const url = `http://127.0.0.1:${port}`;
  const isApi = folders.DATA_DIR !== undefined;
  return ok({
    name: spec.name,
    folder: spec.folder,
    command: spec.command,
    env: {
      ...spec.env,
      HOME: folders.HOME ?? folders.DATA_DIR ?? spec.folder,
      ...folders,
      PATH: path,
      LANG: "C.UTF-8",
      PYTHONUNBUFFERED: "1",
      HOST: "127.0.0.1",
      PORT: String(port),
      SERVICE_URL: url,
    },
    folders: Object.values(folders),
    user,
    url,
    healthUrl: isApi ? `${url}/health` : undefined,
  });
}

/** `../data/...` beside the service is our data folder; a volume anywhere else on the machine is not mounted. */
function hostFolder(source: string, folder: string, dataDir: string): string | undefined {
  const beside = resolve(dirname(folder), "data");
  const path = resolve(folder, source);
  const inside = relative(beside, path);
  if (inside !== "" && !inside.startsWith("..")) return join(dataDir, inside);
  const own = relative(resolve(folder), path);
  return own.startsWith("..") ? undefined : path;
}
