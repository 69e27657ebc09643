/**
 * The addresses at which a package may reach its own service, and nothing else, because a manifest is only the
 * package's claim.
 */
import type { Manifest } from "@capstan/core";

/** `running`: the address at which this server runs the service; without it, the container that is named after it. */
export function serviceHosts({ name, service }: Manifest, running: string | undefined): string[] {
  if (running !== undefined) return [new URL(running).host];
  const container = service?.container ?? `aech-rt-${name}`;
  const isOwn = /^aech-rt-[\w-]+$/.test(container); // any other host needs the operator's permission: CAPSTAN_ALLOW_HOSTS
  return service && isOwn ? [`${container}:${service.port ?? 8080}`] : [];
}
