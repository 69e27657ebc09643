/** Declarative capabilities as packages: the document is the archive, reviewed and removed like any other. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fail, ok } from "@capstan/core";
import { loadDeclarative } from "../sources/declarative.ts";
import type { BoundSecrets } from "../sources/secrets.ts";
import { descriptionOf } from "./document-description.ts";
import type { PackageKindRules } from "./package-kind.ts";
import type { PackageLoader } from "./package-registry.ts";
import type { PackageStore } from "./package-store.ts";

const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

export const documentKind: PackageKindRules = {
  read(bytes) {
    const capability = loadDeclarative(textOf(bytes));
    if (!capability.ok) return capability;
    return ok({ description: descriptionOf(capability.value), files: 1, unpackedBytes: bytes.length });
  },
  async place({ bytes, folder }) {
    await writeFile(join(folder, "capability"), bytes);
    return ok(true);
  },
};

export function documentLoader(store: Pick<PackageStore, "archive">, settings: BoundSecrets): PackageLoader {
  return async ({ name, sha256 }) => {
    const bytes = await store.archive(sha256);
    if (!bytes) return fail("package_broken", { name, why: "its document is not in the store" });
    const capability = loadDeclarative(textOf(bytes), { settings });
    return capability.ok ? ok({ capabilities: [capability.value] }) : capability;
  };
}
