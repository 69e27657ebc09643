/** OpenAPI documents as packages: the document is the archive, and it never runs. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fail, ok } from "@capstan/core";
import { loadOpenApi } from "../sources/openapi.ts";
import type { BoundSecrets } from "../sources/secrets.ts";
import { descriptionOf } from "./document-description.ts";
import type { PackageKindRules } from "./package-kind.ts";
import type { PackageLoader } from "./package-registry.ts";
import type { PackageStore } from "./package-store.ts";

const textOf = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

export const openApiKind: PackageKindRules = {
  read(bytes) {
    const capability = loadOpenApi(textOf(bytes));
    if (!capability.ok) return capability;
    return ok({ description: descriptionOf(capability.value), files: 1, unpackedBytes: bytes.length });
  },
  async place({ bytes, folder }) {
    await writeFile(join(folder, "openapi"), bytes);
    return ok(true);
  },
};

export function openApiLoader(store: Pick<PackageStore, "archive">, settings: BoundSecrets): PackageLoader {
  return async ({ name, sha256, origin }) => {
    const bytes = await store.archive(sha256);
    if (!bytes) return fail("package_broken", { name, why: "its document is not in the store" });
    const isUrl = /^https?:\/\//.test(origin);
    const capability = loadOpenApi(textOf(bytes), { id: name, settings, ...(isUrl && { origin }) });
    return capability.ok ? ok({ capabilities: [capability.value] }) : capability;
  };
}
