/**
 * The file system of a confined command: system programs read-only, the folders it was given, and nothing else.
 * A shell script builds it in a new mount namespace. Other users' data, the server's own folder, `/etc/shadow`,
 * `/run` with its sockets and `/root` do not exist in it, whatever their modes are.
 */
import { existsSync, lstatSync, statSync } from "node:fs";
import { dirname } from "node:path";

/** Programs and libraries. Links among them (`/bin` -> `usr/bin`) stay links. */
const SYSTEM = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store"];

/** Not all of /etc: a server without root has its own configuration there, and its commands have the same user id. */
const CONFIGURATION_FOLDERS = ["alternatives", "ca-certificates", "crypto-policies", "fonts", "pki", "ssl"];
const CONFIGURATION_FILES =
  "group host.conf hosts ld.so.cache localtime magic manpath.config mime.types nsswitch.conf papersize passwd protocols resolv.conf services timezone";

/** Where the new root is mounted while it is built; only a mount point, so any folder with nothing needed below it. */
const MOUNT_POINTS = ["/mnt", "/media", "/srv", "/opt", "/home"];
const DEVICES = ["null", "zero", "full", "random", "urandom"].map((name) => `/dev/${name}`);

export interface RootView {
  readonly readable: readonly string[];
  readonly writable: readonly string[];
  /** Writable folders that appear under another path, as in a container. */
  readonly volumes?: readonly RootVolume[] | undefined;
  /** Copies that are mounted in place of readable files. */
  readonly copies?: ReadonlyMap<string, string> | undefined;
}

export interface RootVolume {
  readonly source: string;
  readonly target: string;
}

interface System {
  readonly folders: readonly string[];
  readonly links: readonly string[];
  /** Single files of /etc, which are copied. */
  readonly settings: readonly string[];
}

/** Detected once: forty file checks before every command would be wasteful. */
let system: System | undefined;

/** The arguments after `sh -c`; the command's own follow them. */
export function rootWords(view: RootView): string[] {
  const { writable, volumes = [], copies } = view;
  const readable = view.readable.filter((path) => existsSync(path));
  system ??= findSystem();
  const { folders, links, settings } = system;
  const given = [...readable, ...writable, ...volumes.flatMap(({ source, target }) => [source, target])];
  const root = MOUNT_POINTS.find((point) => existsSync(point) && !given.some((path) => isBelow(path, point)));
  if (root === undefined) throw new Error("no folder is free to mount a private root on");
  const read = [
    ...folders,
    ...outermostFirst(readable.filter((path) => !folders.some((top) => isBelow(path, top)))),
  ];
  const write = outermostFirst(writable);
  const bind = (path: string, options: string, target = path) =>
    `${escaped(path)} ${escaped(root + target)} none bind,${options} 0 0`;
  const placed = [...volumes].sort((a, b) => (a.target < b.target ? -1 : 1));
  const mounts = [
    ...DEVICES.map((path) => bind(path, "rw,nosuid")),
    ...read.map((path) => bind(copies?.get(path) ?? path, "ro,nosuid,nodev", path)),
    ...write.map((path) => bind(path, "rw,nosuid,nodev")),
    ...placed.map(({ source, target }) => bind(source, "rw,nosuid,nodev", target)),
  ];
  const points = [...read, ...write].map((path) => ({ target: path, isFolder: isFolder(path) }));
  points.push(...placed.map(({ source, target }) => ({ target, isFolder: isFolder(source) })));
  const made = [...new Set(points.map(({ target, isFolder }) => (isFolder ? target : dirname(target))))];
  const files = points.filter(({ isFolder }) => !isFolder).map(({ target }) => target);
  const script = [
    "set -eu",
    "mask=$(umask)",
    "umask 022", // another user passes through the folders that are made here
    `root=${root}`,
    'mount -t tmpfs -o mode=755,nosuid,size=64m tmpfs "$root"',
    'cd "$root"',
    "mkdir tmp",
    "mount -t tmpfs -o mode=1777,nosuid,nodev,size=256m tmpfs tmp",
    `mkdir -p proc dev run etc .before ${made.map(inRoot).join(" ")}`,
    "ln -s /tmp dev/shm",
    "ln -s /proc/self/fd dev/fd",
    `cp -a ${links.map(quoted).join(" ")} . 2>/dev/null || true`,
    `cp -L ${settings.join(" ")} etc/ 2>/dev/null || true`,
    ...[...DEVICES, ...files].map((path) => `: >${inRoot(path)}`),
    // /proc cannot be mounted in some containers; a program that needs it reports that itself.
    "mount -t proc -o nosuid,nodev,noexec proc proc 2>/dev/null || true",
    "cat >.mounts <<'MOUNTS'",
    ...mounts,
    "MOUNTS",
    "mount -a -T .mounts && rm .mounts", // one process for all: separate mounts took ten times as long
    "pivot_root . .before",
    "umount -l /.before",
    "mount -o remount,ro,nosuid / 2>/dev/null || true",
    'umask "$mask"',
    'exec "$@"',
  ];
  return [script.join("\n"), "sh"];
}

function findSystem(): System {
  const top = SYSTEM.filter((path) => existsSync(path));
  const links = top.filter((path) => lstatSync(path).isSymbolicLink());
  const configuration = CONFIGURATION_FOLDERS.map((name) => `/etc/${name}`).filter((path) =>
    existsSync(path),
  );
  return {
    folders: [...top.filter((path) => !links.includes(path)), ...configuration],
    links,
    settings: CONFIGURATION_FILES.split(" ")
      .map((name) => `/etc/${name}`)
      .filter((path) => existsSync(path)),
  };
}

const isBelow = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`);
const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
const outermostFirst = (paths: readonly string[]): string[] => [...new Set(paths)].sort();
const quoted = (path: string): string => `'${path.replaceAll("'", `'\\''`)}'`;
const inRoot = (path: string): string => quoted(path.slice(1));
/** Escapes as in fstab(5). */
const escaped = (path: string): string =>
  path.replaceAll(/[\s\\#]/g, (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, "0")}`);
