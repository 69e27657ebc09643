/**
 * Every lucide icon by name, in one small module per first letter, so that a capability may name any icon and a page
 * loads only the letters it shows: `import("virtual:lucide-icons/c")`. The names and shapes come from lucide-react's files.
 */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Plugin } from "vite";

const PREFIX = "virtual:lucide-icons/";
const LETTERS = "abcdefghijklmnopqrstuvwxyz";

export function lucideIcons(): Plugin {
  let byLetter: Map<string, string[]> | undefined;
  return {
    name: "lucide-icons",
    resolveId: (id) => {
      if (id === "virtual:lucide-letters" || id.startsWith(PREFIX)) return `\0${id}`;
      return undefined;
    },
    load(id) {
      if (id === "\0virtual:lucide-letters") {
        const rows = [...LETTERS].map((letter) => `"${letter}": () => import("${PREFIX}${letter}")`);
        return `export default {\n${rows.join(",\n")}\n};`;
      }
      if (!id.startsWith(`\0${PREFIX}`)) return undefined;
      byLetter ??= readIcons();
      return `export default {\n${(byLetter.get(id.at(-1) ?? "") ?? []).join(",\n")}\n};`;
    },
  };
}

/** Rows such as `"clock": [["circle", {...}]]`, by first letter. */
function readIcons(): Map<string, string[]> {
  const folder = join(dirname(fileURLToPath(import.meta.resolve("lucide-react"))), "../esm/icons");
  const names = readdirSync(folder)
    .filter((file) => file.endsWith(".mjs"))
    .map((file) => file.slice(0, -".mjs".length));
  const shapeOf = (name: string): string | undefined => {
    const text = readFileSync(join(folder, `${name}.mjs`), "utf8");
    const alias = text.match(/from '\.\/([a-z0-9-]+)\.mjs'/)?.[1];
    return alias === undefined
      ? text.match(/\n {2}node: (\[[\s\S]*?\]),?\n(?: {2}\w+:|\};)/)?.[1]
      : shapeOf(alias);
  };
  const byLetter = new Map<string, string[]>();
  for (const name of names) {
    const shape = shapeOf(name);
    const letter = name.charAt(0);
    if (shape) byLetter.set(letter, [...(byLetter.get(letter) ?? []), `"${name}": ${shape}`]);
  }
  return byLetter;
}
