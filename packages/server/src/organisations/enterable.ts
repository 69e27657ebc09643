/** The organisations that a caller may choose between. Empty until there are two, and for a key, which belongs to one. */
import { FIRST_ORGANISATION } from "@capstan/runtime";
import type { Caller } from "../http/caller.ts";
import type { OrganisationHost } from "./organisation-host.ts";

export interface Enterable {
  readonly id: string;
  readonly name: string;
}

/** The server's own user, and the owner of its data folder. */
const EVERYWHERE = new Set(["loopback", "owner"]);

export async function enterable({ host }: { host: OrganisationHost }, caller: Caller): Promise<Enterable[]> {
  const others = host.names();
  if (others.length === 0) return [];
  const all = [{ id: FIRST_ORGANISATION, name: "Default" }, ...others];
  if (EVERYWHERE.has(caller.key)) return all;
  if (caller.login === undefined) return [];
  const standings = await Promise.all(all.map(({ id }) => host.standingIn(id, caller.email)));
  return all.filter((_, at) => standings[at]?.right !== undefined);
}
