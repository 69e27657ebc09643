/**
 * A program's description from Debian's package lists, for programs without a manual page: the first line of its
 * package's description. Only files are read; where there are none, as on other systems, there is no answer.
 */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

const DPKG = "/var/lib/dpkg";

export async function systemPackageSummary(path: string, folder = DPKG): Promise<string | undefined> {
  const owner = await ownerOf(path, join(folder, "info"));
  if (owner === undefined) return undefined;
  const status = await readFile(join(folder, "status"), "utf8").catch(() => "");
  const entry = status.split("\n\n").find((each) => each.startsWith(`Package: ${owner}\n`));
  const summary = /^Description(?:-en)?: (.+)$/m.exec(entry ?? "")?.[1]?.trim();
  return summary ? summary.charAt(0).toUpperCase() + summary.slice(1) : undefined;
}

/** A list names every file of a package; on merged systems it lists /usr/bin/x as /bin/x. */
async function ownerOf(path: string, folder: string): Promise<string | undefined> {
  const lists = await readdir(folder).catch(() => []);
  const paths = new Set([path, path.replace(/^\/usr\//, "/"), path.replace(/^\/(?!usr\/)/, "/usr/")]);
  for (const list of lists.filter((name) => name.endsWith(".list"))) {
    const text = await readFile(join(folder, list), "utf8").catch(() => "");
    if (text.split("\n").some((line) => paths.has(line))) return list.replace(/(?::\w+)?\.list$/, "");
  }
  return undefined;
}
