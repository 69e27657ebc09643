/** The file system of JavaScript in the sandbox: a map of paths. Directories exist if something is in them, or by mkdir. */
import type { FileMap } from "./file-changes.ts";

/** Thrown into the guest with Node's error code (ENOENT, ...), so that code written for Node handles it. */
export class FileError extends Error {
  readonly code: string;
  constructor(code: string, path: string, why: string) {
    super(`${code}: ${why}, '${path}'`);
    this.code = code;
  }
}

export class MemoryFiles {
  readonly #files: Map<string, Uint8Array>;
  readonly #directories = new Set<string>(["/"]);
  readonly #limitBytes: number;
  #bytes = 0;

  constructor(files: FileMap, limitBytes: number) {
    this.#files = new Map(files);
    this.#limitBytes = limitBytes;
    for (const [path, content] of files) {
      this.#bytes += content.byteLength;
      this.#addParents(path);
    }
  }

  get files(): FileMap {
    return this.#files;
  }

  read(name: string): Uint8Array {
    const path = normalize(name);
    const content = this.#files.get(path);
    if (content) return content;
    if (this.#directories.has(path)) throw new FileError("EISDIR", path, "illegal operation on a directory");
    throw new FileError("ENOENT", path, "no such file or directory");
  }

  write(name: string, content: Uint8Array): void {
    const path = normalize(name);
    if (this.#directories.has(path)) throw new FileError("EISDIR", path, "illegal operation on a directory");
    this.#refuseFileAsParent(path);
    const bytes = this.#bytes - (this.#files.get(path)?.byteLength ?? 0) + content.byteLength;
    if (bytes > this.#limitBytes) throw new FileError("ENOSPC", path, "no space left in the sandbox");
    this.#bytes = bytes;
    this.#files.set(path, content);
    this.#addParents(path);
  }

  makeDirectory(name: string): void {
    const path = normalize(name);
    if (this.#files.has(path)) throw new FileError("EEXIST", path, "file already exists");
    this.#refuseFileAsParent(path);
    this.#directories.add(path);
    this.#addParents(path);
  }

  list(name: string): string[] {
    const path = normalize(name);
    if (!this.#directories.has(path)) {
      const known = this.#files.has(path);
      throw known
        ? new FileError("ENOTDIR", path, "not a directory")
        : new FileError("ENOENT", path, "no such file or directory");
    }
    const prefix = path === "/" ? "/" : `${path}/`;
    const names = new Set<string>();
    for (const entry of [...this.#files.keys(), ...this.#directories]) {
      if (entry.length > prefix.length && entry.startsWith(prefix)) {
        names.add(entry.slice(prefix.length).split("/", 1)[0] ?? "");
      }
    }
    return [...names].sort();
  }

  kind(name: string): "file" | "directory" | undefined {
    const path = normalize(name);
    if (this.#files.has(path)) return "file";
    return this.#directories.has(path) ? "directory" : undefined;
  }

  remove(name: string, recursive: boolean): void {
    const path = normalize(name);
    const kind = this.kind(path);
    if (!kind) throw new FileError("ENOENT", path, "no such file or directory");
    if (kind === "directory" && !recursive && this.list(path).length > 0) {
      throw new FileError("ENOTEMPTY", path, "directory not empty");
    }
    const prefix = path === "/" ? "/" : `${path}/`;
    const isBelow = (entry: string) => entry === path || entry.startsWith(prefix);
    for (const file of [...this.#files.keys()].filter(isBelow)) {
      this.#bytes -= this.#files.get(file)?.byteLength ?? 0;
      this.#files.delete(file);
    }
    for (const directory of [...this.#directories].filter(isBelow)) {
      if (directory !== "/") this.#directories.delete(directory);
    }
  }

  #addParents(path: string): void {
    for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1)) {
      this.#directories.add(path.slice(0, at));
    }
  }

  #refuseFileAsParent(path: string): void {
    for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1)) {
      const parent = path.slice(0, at);
      if (this.#files.has(parent)) throw new FileError("ENOTDIR", path, "not a directory");
    }
  }
}

/** An absolute path without `.`, `..` and duplicate slashes; relative ones start at the root, the working directory. */
export function normalize(name: string): string {
  const parts: string[] = [];
  for (const part of name.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return `/${parts.join("/")}`;
}
