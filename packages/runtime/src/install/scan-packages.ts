/** Wheels and tarballs in `capabilities/clis/`: each waits for review until it is installed. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Failure } from "@capstan/core";
import type { Installer } from "./installer.ts";
import type { PackageReview } from "./package-review.ts";
import type { PackageStore } from "./package-store.ts";

export interface WaitingPackage {
  readonly path: string;
  readonly review?: PackageReview;
  /** Set when it can never be installed in this form. */
  readonly failure?: Failure;
}

export async function scanPackages(
  folder: string,
  { installer, store }: { installer: Installer; store: PackageStore },
): Promise<WaitingPackage[]> {
  const names = (await readdir(folder).catch(() => []))
    .filter((name) => /\.(whl|tgz|tar\.gz)$/.test(name))
    .sort();
  const installed = new Set((await store.list()).map(({ sha256 }) => sha256));
  const waiting: WaitingPackage[] = [];
  for (const name of names) {
    const path = join(folder, name);
    const review = await installer.review({ source: path }, { resolve: false });
    if (!review.ok) {
      // Other wheels are here as dependencies; they are not capabilities and need no review.
      if (review.failure.code !== "package_name_invalid") waiting.push({ path, failure: review.failure });
    } else if (!installed.has(review.value.sha256)) waiting.push({ path, review: review.value });
  }
  return waiting;
}
