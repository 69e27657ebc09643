/** THIRD-PARTY.md: the packages in a bundle with their licence texts, as the licences require. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

interface Bundled {
  readonly name: string;
  readonly version: string;
  readonly licence: string;
  readonly text: string;
}

/** `modules`: the files a bundle was made of. */
export function thirdPartyNotice(modules: readonly string[]): string {
  const folders = [...new Set(modules.flatMap((path) => packageFolder(path) ?? []))].sort();
  const all = folders.map(readPackage).sort((a, b) => (a.name < b.name ? -1 : 1));
  const nameless = all.filter(({ licence }) => licence === "");
  if (nameless.length > 0)
    throw new Error(`without a licence: ${nameless.map(({ name }) => name).join(", ")}`);
  const texts = new Map<string, string[]>();
  for (const { name, version, licence, text } of all) {
    const words = text === "" ? `${licence}: the package ships no text of its own.` : text;
    texts.set(words, [...(texts.get(words) ?? []), `${name} ${version} (${licence})`]);
  }
  const parts = [...texts].map(([words, names]) => `## ${names.join(", ")}\n\n\`\`\`\n${words}\n\`\`\`\n`);
  return `# Third-party code in this package\n\n${all.length} packages, each under its own licence.\n\n${parts.join("\n")}`;
}

function packageFolder(path: string): string | undefined {
  return /^(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path.replaceAll("\\", "/"))?.[1];
}

function readPackage(folder: string): Bundled {
  const { name, version, license = "" } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const file = readdirSync(folder).find((each) => /^(licen[cs]e|copying)(\.|-|$)/i.test(each));
  const path = file && join(folder, file);
  const text = path && existsSync(path) ? readFileSync(path, "utf8").trim().replaceAll("```", "'''") : "";
  return { name, version, licence: typeof license === "string" ? license : (license.type ?? ""), text };
}
