/**
 * Which files of the machine a program needs, so that a confined command sees these and not the home folder around them:
 * the interpreter with its libraries, the script with its project, and the `node_modules` folders above it.
 */
import { existsSync, readdirSync, realpathSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, isAbsolute, join } from "node:path";

const PROJECT_FILES = ["package.json", "pyproject.toml"];

/** Node, and npm next to it if both were unpacked into one folder. */
export function nodeFiles(node = process.execPath): string[] {
  const real = realpathSync(node);
  const prefix = dirname(dirname(real));
  const modules = join(prefix, "lib", "node_modules");
  const together = basename(dirname(real)) === "bin" && existsSync(modules);
  return together ? [dirname(real), modules, node, real] : [node, real];
}

/**
 * Where Node looks for what a program imports: the `node_modules` of the folders above it, up to the project that it lies
 * in (the first folder above with a `package.json`). Nothing of a home or of the disk's root, which hold what is not the
 * program's.
 */
export function modulesAbove(folder: string): string[] {
  const home = ownHome();
  const found: string[] = [];
  for (let at = dirname(folder); at !== dirname(at) && at !== home; at = dirname(at)) {
    const modules = join(at, "node_modules");
    if (existsSync(modules)) found.push(modules);
    if (existsSync(join(at, "package.json"))) return found;
  }
  return [];
}

/** For each absolute path in a command line: the files it needs to work. */
export function programFiles(argv: readonly string[]): string[] {
  const paths = argv.filter((word) => isAbsolute(word) && existsSync(word));
  return [...new Set(paths.flatMap((path, at) => (at === 0 ? interpreterFiles(path) : scriptFiles(path))))];
}

/** A program and the libraries next to its `bin`, as with every Python that a version manager installs. */
export function interpreterFiles(path: string): string[] {
  const real = realpathSync(path);
  const library = join(dirname(dirname(real)), "lib");
  const isInstalled = basename(dirname(real)) === "bin" && existsSync(library);
  return [path, real, ...(isInstalled ? [library] : []), ...(isInstalled ? [] : scriptFiles(real))];
}

/**
 * The Python behind the virtual environment in a folder, which may lie outside the system's folders, as those of version
 * managers do. The folder's link could name any file, so only what is an installed Python counts.
 */
export function environmentPython(folder: string): string[] {
  const link = join(folder, ".venv", "bin", "python");
  if (!existsSync(link)) return [];
  const real = realpathSync(link);
  const [programs, prefix] = [dirname(real), dirname(dirname(real))];
  const isPython = /^(python|pypy)[\d.]*$/.test(basename(real)) && basename(programs) === "bin";
  const library = join(prefix, "lib");
  if (!isPython || prefix === ownHome() || !hasPythonLibrary(library)) return [];
  return [link, programs, library]; // other links of this folder go by the programs beside it
}

const hasPythonLibrary = (library: string): boolean =>
  existsSync(library) &&
  readdirSync(library).some(
    (name) => /^(python|pypy)\d/.test(name) && existsSync(join(library, name, "os.py")),
  );

function scriptFiles(path: string): string[] {
  const real = realpathSync(path);
  if (statSync(real).isDirectory()) return [path];
  return [path, real, ...projectFiles(real)];
}

/** A container's user may have no home. */
function ownHome(): string | undefined {
  try {
    return homedir();
  } catch {
    return undefined;
  }
}

/** Never a home folder or the root of the disk: those contain unrelated files. */
function projectFiles(path: string): string[] {
  const home = ownHome();
  const found: string[] = [];
  let project: string | undefined;
  for (let folder = dirname(path); folder !== dirname(folder) && folder !== home; folder = dirname(folder)) {
    if (!project && PROJECT_FILES.some((name) => existsSync(join(folder, name)))) project = folder;
    const modules = join(folder, "node_modules");
    if (existsSync(modules)) found.push(modules, join(folder, "package.json"));
  }
  const own = project ?? dirname(path);
  const isPrivate = own === home || own === dirname(own);
  return [...found.filter((each) => existsSync(each)), ...(isPrivate ? [] : [own])];
}
