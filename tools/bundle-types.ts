/**
 * The declarations of a bundle: those that can be reached from its entries, and no others. What they import from outside
 * must be a dependency of the published package, or a user's compiler would not find it; that is checked here.
 */
import { cpSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

/** Copies from `compiled` to `to`, from these entries on; answers the packages that the declarations name. */
export function copyDeclarations(compiled: string, entries: readonly string[], to: string): Set<string> {
  const packages = new Set<string>();
  const waiting = entries.map((entry) => join(compiled, entry));
  const seen = new Set(waiting);
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    const place = join(to, relative(compiled, file));
    mkdirSync(dirname(place), { recursive: true });
    cpSync(file, place);
    for (const specifier of importsOf(readFileSync(file, "utf8"))) {
      if (!specifier.startsWith(".")) {
        if (!specifier.startsWith("node:")) packages.add(packageOf(specifier));
        continue;
      }
      const next = join(dirname(file), specifier.replace(/\.[tj]s$/, ".d.ts"));
      if (!existsSync(next)) throw new Error(`${file} imports ${specifier}, which has no declarations`);
      if (!seen.has(next)) waiting.push(next);
      seen.add(next);
    }
  }
  return packages;
}

const importsOf = (text: string): string[] =>
  [...text.matchAll(/(?:\bfrom\s+|\bimport\s*\(\s*|\bimport\s+)"([^"]+)"/g)].map(([, name = ""]) => name);

const packageOf = (specifier: string): string =>
  specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
