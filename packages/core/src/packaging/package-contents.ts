/** Metadata of a package archive, read before any of it runs; the same shape for wheels and npm tarballs. */
import type { ArchiveFile } from "./archive.ts";

export interface PackageContents {
  readonly kind: "wheel" | "npm";
  readonly name: string;
  readonly version: string;
  /** Commands it would put on the PATH. */
  readonly commands: readonly string[];
  /** Packages it depends on, in its own notation. */
  readonly dependencies: readonly string[];
  /** Scripts the package manager would run while installing; disabled unless allowed. */
  readonly installScripts: readonly string[];
  /** The text of its manifest.json; absent when the package must run to describe itself. */
  readonly manifestText?: string;
}

export const textOf = ({ bytes }: ArchiveFile): string => new TextDecoder().decode(bytes);

/** The manifest nearest to the root: beside the package, or inside the one package folder. */
export function findManifest(files: readonly ArchiveFile[]): string | undefined {
  const depth = (path: string) => path.split("/").length;
  const found = files
    .filter(
      ({ path }) => /(^|\/)manifest\.json$/.test(path) && depth(path) <= 3 && !path.includes("node_modules/"),
    )
    .sort((a, b) => depth(a.path) - depth(b.path) || (a.path < b.path ? -1 : 1));
  return found[0] && textOf(found[0]);
}

/** The nearest semantic version, which the registry stores: `1.0` is 1.0.0, `2.1rc1` is 2.1.0-rc1. */
export function semverOf(version: string): string {
  const match = /^v?(\d+)(?:\.(\d+))?(?:\.(\d+))?(.*)$/.exec(version.trim());
  if (!match) return "0.0.0";
  const [, major = "0", minor = "0", patch = "0", rest = ""] = match;
  const digits = [major, minor, patch].map((each) => String(Number(each))).join(".");
  const suffix = rest
    .replace(/^[-.+]/, "")
    .replaceAll(/[^0-9A-Za-z.-]/g, "-")
    .replaceAll(/^[.-]+|[.-]+$/g, "");
  return suffix === "" ? digits : `${digits}-${/^\d+$/.test(suffix) ? `r${suffix}` : suffix}`;
}
