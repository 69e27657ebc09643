/** No dependency runs a program on installation without a line in docs/dependencies.md that says why. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const ROOT = new URL("../", import.meta.url);
const read = (path: string) => readFileSync(new URL(path, ROOT), "utf8");

/** Names in the section, without their reasons; `@scope/*` stands for all of a scope. */
function justified(): RegExp[] {
  const [, section = ""] = read("docs/dependencies.md").split("## Install scripts");
  return [...section.matchAll(/^- (\S+?)\s?:/gm)].map(
    ([, name = ""]) => new RegExp(`^${name.replaceAll("*", "[^/]+")}$`),
  );
}

interface Locked {
  readonly version?: string;
  readonly hasInstallScript?: boolean;
}

function withInstallScripts(): string[] {
  const { packages } = JSON.parse(read("package-lock.json")) as { packages: Record<string, Locked> };
  const names = Object.entries(packages)
    .filter(([, { hasInstallScript }]) => hasInstallScript)
    .map(([path]) => path.split("node_modules/").at(-1) ?? path);
  return [...new Set(names)].sort();
}

test("every dependency with an install script is listed and justified", () => {
  const known = justified();
  expect(withInstallScripts().filter((name) => !known.some((pattern) => pattern.test(name)))).toEqual([]);
});

test("the list contains nothing obsolete", () => {
  const names = withInstallScripts();
  expect(justified().filter((pattern) => !names.some((name) => pattern.test(name)))).toEqual([]);
});
