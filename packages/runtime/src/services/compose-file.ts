/**
 * A service's folder, read so that it can run without Docker: docker-compose.yml declares its folders and settings,
 * the Dockerfile's CMD how it starts. Services that are only an image (a database) cannot be run this way.
 */
import { basename, dirname, isAbsolute, join, normalize, sep } from "node:path";
import { fail, ok, type Result } from "@capstan/core";
import { readInput } from "@capstan/core/internal";
import { parse as parseYaml } from "yaml";
import { z } from "zod";
import { openBelow } from "../files/open-folder.ts";
import { readPlainText } from "../files/plain-file.ts";
import { readEnvFile } from "./env-file.ts";

const MAX_BYTES = 1024 * 1024;

const List = z.union([z.string().transform((one) => [one]), z.array(z.string())]);
const Environment = z.union([
  z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]).transform(String)),
  z.array(z.string()).transform((lines) => readEnvFile(lines.join("\n"))),
]);
/** Short form, or the long one with `source` and `target`. */
const Volume = z.union([
  z.string().transform(readVolume),
  z
    .looseObject({ source: z.string(), target: z.string() })
    .transform(({ source, target }) => ({ source, target })),
]);
const Compose = z.looseObject({
  services: z.record(
    z.string().regex(/^[a-z0-9][a-z0-9_-]{0,49}$/, "must be the capability's name"),
    z.looseObject({
      build: z.unknown().optional(),
      image: z.string().optional(),
      env_file: List.optional(),
      environment: Environment.optional(),
      volumes: z.array(Volume).default([]),
      command: z.array(z.string()).min(1).optional(),
      healthcheck: z.unknown().optional(),
    }),
  ),
});

export interface Volume {
  readonly source: string;
  readonly target: string;
}

export interface ServiceSpec {
  readonly name: string;
  readonly folder: string;
  readonly command: readonly string[];
  /** From the env files and `environment`, in that order, as in Docker; settings that point to another service are left out. */
  readonly env: Readonly<Record<string, string>>;
  /** The part of it that the operator wrote, in `.env`. All else is the package's author's. */
  readonly operatorEnv: Readonly<Record<string, string>>;
  readonly volumes: readonly Volume[];
  /** Other services of the file that are only images: they must run elsewhere. */
  readonly needsElsewhere: readonly string[];
}

export async function readServiceFolder(folder: string): Promise<Result<ServiceSpec>> {
  const text = await readPlainText(join(folder, "docker-compose.yml"), MAX_BYTES);
  if (text === undefined) return fail("service_invalid", { folder, why: "there is no docker-compose.yml" });
  const compose = parseCompose(text);
  if (typeof compose === "string") return fail("service_invalid", { folder, why: compose });
  const entries = Object.entries(compose.services);
  const [own, ...more] = entries.filter(([, service]) => service.build !== undefined);
  if (!own || more.length > 0) {
    return fail("service_invalid", {
      folder,
      why: "docker-compose.yml must have exactly one service with build",
    });
  }
  const [name, service] = own;
  const command = service.command ?? (await dockerCommand(folder));
  if (!command) return fail("service_invalid", { folder, why: 'the Dockerfile has no CMD ["...", "..."]' });
  const env = await readEnv(folder, service.env_file ?? []);
  if (!env.ok) return env;
  const needsElsewhere = entries.filter(([, each]) => each.build === undefined).map(([other]) => other);
  const settings = Object.entries(service.environment ?? {}).filter(
    ([, value]) => !pointsAt(needsElsewhere, value),
  );
  return ok({
    name,
    folder,
    command,
    env: { ...env.value.all, ...Object.fromEntries(settings) },
    operatorEnv: env.value.operator,
    volumes: service.volumes,
    needsElsewhere,
  });
}

/** Without Docker there is no host of that name; the service must find its database by other means. */
const pointsAt = (hosts: readonly string[], value: string) =>
  hosts.some((host) => new RegExp(`(//|@)${host}(:|/|$)`).test(value));

function parseCompose(text: string): z.infer<typeof Compose> | string {
  try {
    const read = readInput(Compose, parseYaml(text));
    return read.ok ? read.value : `docker-compose.yml: ${read.where}`;
  } catch (error) {
    return `docker-compose.yml is not YAML: ${(error as Error).message.split("\n")[0]}`;
  }
}

/** The exec form only: the shell form would need the image's shell. */
async function dockerCommand(folder: string): Promise<string[] | undefined> {
  const text = (await readPlainText(join(folder, "Dockerfile"), MAX_BYTES)) ?? "";
  const written = [...text.matchAll(/^CMD\s+(\[.*\])\s*$/gm)].at(-1)?.[1];
  try {
    return written === undefined ? undefined : z.array(z.string()).min(1).parse(JSON.parse(written));
  } catch {
    return undefined;
  }
}

const OPERATORS_FILE = ".env";

interface ServiceEnv {
  readonly all: Record<string, string>;
  readonly operator: Record<string, string>;
}

async function readEnv(folder: string, files: readonly string[]): Promise<Result<ServiceEnv>> {
  const all: Record<string, string> = {};
  let operator: Record<string, string> = {};
  for (const file of files) {
    const path = normalize(file);
    const text = await readInside(folder, path);
    if (text === "outside") return fail("service_invalid", { folder, why: `env_file ${file} is outside it` });
    if (text === undefined) return fail("service_not_configured", { folder, file });
    const values = readEnvFile(text);
    if (path === OPERATORS_FILE) operator = values;
    Object.assign(all, values);
  }
  return ok({ all, operator });
}

/** The compose file is the package's: a path of it that leaves the folder, also by a link, could be any file of the server's. */
async function readInside(folder: string, path: string): Promise<string | "outside" | undefined> {
  if (isAbsolute(path) || path.split(sep).includes("..")) return "outside";
  const parent = await openBelow(folder, join(folder, dirname(path)));
  const file = await parent?.read(basename(path), MAX_BYTES);
  await parent?.close();
  return file?.bytes.toString("utf8");
}

function readVolume(text: string): Volume {
  const [source = "", target = ""] = text.replace(/:(rw|ro|z|Z|,)+$/, "").split(/:(?=\/)/);
  return { source, target };
}
