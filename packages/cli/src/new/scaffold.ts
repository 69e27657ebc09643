/**
 * `capstan new`: creates a working project from a template. Templates are plain files in `templates/`: placeholders such as
 * `TEMPLATE_NAME` are filled in, also in paths, and `dot-` at the start of a name becomes a dot.
 */
import { chmod, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { fail, ok, type Result } from "@capstan/core";
import { readPackageName } from "@capstan/core/internal";

/** Next to `src` in the repository, next to `dist` in the published package. */
const TEMPLATES = fileURLToPath(new URL("../../templates", import.meta.url));

export type Language = "typescript" | "python";
export type Pattern = "file" | "api";

export interface ScaffoldOptions {
  readonly type: "cli" | "rt";
  /** The capability's name without prefix, such as `weather`. */
  readonly name: string;
  readonly language?: Language;
  /** How a service communicates with its command: through the user's files, or over HTTP. */
  readonly pattern?: Pattern;
  readonly prefix?: "capstan" | "aech";
  readonly description?: string;
  /** The folder to create the project's folder in. */
  readonly into: string;
}

export interface ScaffoldedProject {
  readonly folder: string;
  readonly files: readonly string[];
  /** The next commands to type. */
  readonly next: readonly string[];
}

export async function scaffold(options: ScaffoldOptions): Promise<Result<ScaffoldedProject>> {
  const { type, language = "typescript", pattern = "file", prefix = "capstan" } = options;
  const project = `${prefix}-${type}-${options.name}`;
  if (!readPackageName(project) || options.name.includes("_"))
    return fail("package_name_invalid", { name: project });
  const folder = resolve(options.into, project);
  const template = join(TEMPLATES, type === "cli" ? `cli-${language}` : `rt-${pattern}-${language}`);
  await mkdir(resolve(options.into), { recursive: true });
  const made = await mkdir(folder).then(() => true, notWhenItExists);
  if (!made) return fail("folder_exists", { folder });
  try {
    const files = await fill(template, folder, wordsOf(options, project, prefix, language));
    return ok({ folder, files, next: nextSteps(type, join(options.into, project), language) });
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

type Words = Readonly<Record<string, string>>;

/** What the template's actions do: no task finds a capability without a description. */
const usualDescription = (type: "cli" | "rt", pattern: Pattern, name: string): string => {
  if (type === "cli") return "Counts the lines, words and bytes of text files, and writes texts to files.";
  return pattern === "file"
    ? `Watches for ${name} items in the background; lists them and approves them.`
    : `Keeps ${name} items behind an HTTP service; finds them by words and adds new ones.`;
};

function wordsOf(
  { type, name, description, pattern = "file" }: ScaffoldOptions,
  project: string,
  prefix: string,
  language: Language,
): Words {
  const command = `${prefix}-cli-${name}`;
  const plain = (description ?? usualDescription(type, pattern, name)).replaceAll(/["\\\n]/g, " ").trim();
  return {
    NAME: name,
    PACKAGE: command,
    MODULE: command.replaceAll("-", "_"),
    SERVICE: project.replace("-cli-", "-rt-"),
    DESCRIPTION: plain,
    TEST: language === "python" ? "python3 -m unittest discover tests" : "npm test",
  };
}

async function fill(template: string, folder: string, words: Words): Promise<string[]> {
  const written: string[] = [];
  const entries = await readdir(template, { recursive: true, withFileTypes: true });
  for (const entry of entries.filter((each) => each.isFile() && !each.parentPath.includes("__pycache__"))) {
    const source = join(entry.parentPath, entry.name);
    const path = pathFor(relative(template, source), words);
    const target = join(folder, path);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, filled(await readFile(source, "utf8"), words));
    if (/(^|\/)main\.ts$/.test(path)) await chmod(target, 0o755);
    written.push(path);
  }
  return written.sort();
}

const pathFor = (path: string, words: Words) => filled(path, words).replace(/(^|\/)dot-(?=[^/]*$)/, "$1.");

function filled(text: string, words: Words): string {
  return text.replaceAll(/TEMPLATE_([A-Z]+)/g, (whole, word: string) => words[word] ?? whole);
}

function nextSteps(type: "cli" | "rt", folder: string, language: Language): string[] {
  const test = language === "python" ? "python3 -m unittest discover tests" : "npm test";
  const service = type === "rt" ? ["cp .env.example .env", "capstan services start ."] : [];
  return [`cd ${folder}`, test, "capstan install .", ...service];
}

function notWhenItExists(error: NodeJS.ErrnoException): false {
  if (error.code === "EEXIST") return false;
  throw error;
}
