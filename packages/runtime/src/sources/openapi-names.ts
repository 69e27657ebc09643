/** Turns names chosen by people into tool names: legal, unique, and stable across loads. */
import { createHash } from "node:crypto";

const NAME_CHARS = 64;
const HASH_CHARS = 6;

export class UniqueNames {
  readonly #taken = new Set<string>();

  /** The first candidate that is free; otherwise the last one with a number. */
  choose(...wishes: readonly string[]): string {
    const legal = wishes.map(legalName);
    const free = legal.find((name) => !this.#taken.has(name));
    const chosen = free ?? this.#numbered(legal.at(-1) ?? "x");
    this.#taken.add(chosen);
    return chosen;
  }

  #numbered(base: string): string {
    for (let number = 2; ; number += 1) {
      const name = `${base.slice(0, NAME_CHARS - 6)}_${number}`;
      if (!this.#taken.has(name)) return name;
    }
  }
}

/** `repos/list-for-org` becomes `repos_list-for-org`; a long name is cut and made unique by a hash. */
export function legalName(text: string): string {
  const name = text.replaceAll(/[^A-Za-z0-9_-]+/g, "_").replaceAll(/^_+|_+$/g, "") || "x";
  if (name.length <= NAME_CHARS) return name;
  const hash = createHash("sha256").update(text).digest("hex").slice(0, HASH_CHARS);
  return `${name.slice(0, NAME_CHARS - HASH_CHARS - 1)}_${hash}`;
}

export function capabilityId(title: string): string {
  const slug = title
    .toLowerCase()
    .normalize("NFKD")
    .replaceAll(/\p{M}/gu, "")
    .replaceAll(/[^a-z0-9]+/g, "_")
    .replaceAll(/^_+|_+$/g, "");
  return slug.slice(0, 50).replace(/_+$/, "") || "openapi";
}

/** Versions of APIs are often dates or `v2`; ours are semver. */
export function semverOf(version: unknown): string {
  const text = typeof version === "string" ? version : "";
  const [, major, minor = "0", patch = "0"] =
    /^v?(\d+)(?:[.-](\d+))?(?:[.-](\d+))?\b/.exec(text.trim()) ?? [];
  return major === undefined ? "1.0.0" : [major, minor, patch].map(Number).join(".");
}
