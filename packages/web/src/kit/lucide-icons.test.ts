import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { lucideIcons } from "../../lucide-icons.ts";

test("every name of lucide has its shape, older names included", () => {
  const folder = join(dirname(fileURLToPath(import.meta.resolve("lucide-react"))), "../esm/icons");
  const names = readdirSync(folder).flatMap((file) => (file.endsWith(".mjs") ? [file.slice(0, -4)] : []));
  const load = lucideIcons().load as (id: string) => string;
  const letters = [...new Set(names.map((name) => name.charAt(0)))];
  const made = letters.map((letter) => load(`\0virtual:lucide-icons/${letter}`)).join("\n");
  expect(names.filter((name) => !made.includes(`"${name}": [`))).toEqual([]);
  expect(made).toContain('"waves": [');
});
