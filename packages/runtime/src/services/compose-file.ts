/**
 * A service's folder, read so that it can run without Docker: docker-compose.yml declares its folders and settings,
 * the Dockerfile's CMD how it starts. Services that are only an image (a database) cannot be run this way.
 */
import { join } from "node:path";
import { fail, ok, type Result } from "@capstan/core";
import { readInput } from "@capstan/core/internal";
import { parse as parseYaml } from "yaml";
import { z } from "zod";
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
    env: { ...env.value, ...Object.fromEntries(settings) },
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

async function readEnv(folder: string, files: readonly string[]): Promise<Result<Record<string, string>>> {
  const values: Record<string, string> = {};
  for (const file of files) {
    const text = await readPlainText(join(folder, file), MAX_BYTES);
    if (text === undefined) return fail("service_not_configured", { folder, file });
    Object.assign(values, readEnvFile(text));
  }
  return ok(values);
}

function readVolume(text: string): Volume {
  const [source = "", target = ""] = text.replace(/:(rw|ro|z|Z|,)+$/, "").split(/:(?=\/)/);
  return { source, target };
}
