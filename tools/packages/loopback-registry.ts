/**
 * An npm registry and a Python index on loopback, for real npm and pip. It remembers every request: code of a package that
 * ran calls `/beacon/...`, and a token that leaked stands in an address or a header.
 */
import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { writeTarGz } from "@capstan/core/internal";
import { nodeCodec } from "../../packages/runtime/src/install/node-codec.ts";
import { file } from "./test-packages.ts";

export interface NpmRelease {
  readonly name: string;
  readonly version?: string;
  readonly json?: object;
  readonly files?: Readonly<Record<string, string>>;
}

export interface SeenRequest {
  readonly path: string;
  readonly headers: string;
}

export class LoopbackRegistry {
  readonly requests: SeenRequest[] = [];
  readonly #server: Server;
  readonly #npm = new Map<string, Map<string, object>>();
  readonly #python = new Map<string, Map<string, Uint8Array>>();
  readonly #files = new Map<string, Uint8Array>();

  private constructor() {
    this.#server = createServer((request, response) => this.#answer(request, response));
  }

  static async start(): Promise<LoopbackRegistry> {
    const registry = new LoopbackRegistry();
    await new Promise<void>((resolve) => registry.#server.listen(0, "127.0.0.1", resolve));
    return registry;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/`;
  }

  get beacons(): string[] {
    return this.requests.map(({ path }) => path).filter((path) => path.startsWith("/beacon/"));
  }

  /** Puts a release into the npm registry; the same version twice replaces the bytes and the hash. */
  publish({ name, version = "1.0.0", json = {}, files = {} }: NpmRelease): void {
    const about = { name, version, ...json };
    const bytes = tarball({ "package.json": JSON.stringify(about), "index.js": "", ...files });
    const path = `/tarballs/${name}-${version}.tgz`;
    this.#files.set(path, bytes);
    const versions = this.#npm.get(name) ?? new Map<string, object>();
    versions.set(version, {
      ...about,
      dist: { tarball: `${this.url}${path.slice(1)}`, integrity: integrityOf(bytes) },
    });
    this.#npm.set(name, versions);
  }

  /** As the registry says it; empty when it has no such release. */
  integrityOf(name: string, version: string): string {
    const bytes = this.#files.get(`/tarballs/${name}-${version}.tgz`);
    return bytes ? integrityOf(bytes) : "";
  }

  /** Puts a file into the Python index. */
  upload(project: string, fileName: string, bytes: Uint8Array): void {
    const files = this.#python.get(project) ?? new Map<string, Uint8Array>();
    this.#python.set(project, files.set(fileName, bytes));
    this.#files.set(`/files/${fileName}`, bytes);
  }

  serve(path: string, bytes: Uint8Array): void {
    this.#files.set(path, bytes);
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const path = decodeURIComponent(request.url ?? "/");
    this.requests.push({ path, headers: JSON.stringify(request.headers) });
    const bytes = this.#files.get(path);
    const project = /^\/simple\/([^/]+)\/$/.exec(path)?.[1];
    if (bytes) response.end(bytes);
    else if (project && this.#python.has(project)) this.#index(project, response);
    else this.#packument(path.slice(1), response);
  }

  #packument(name: string, response: ServerResponse): void {
    const versions = this.#npm.get(name);
    response.setHeader("content-type", "application/json");
    if (!versions) response.statusCode = 404;
    const latest = [...(versions?.keys() ?? [])].at(-1);
    response.end(
      JSON.stringify({ name, "dist-tags": { latest }, versions: Object.fromEntries(versions ?? []) }),
    );
  }

  #index(project: string, response: ServerResponse): void {
    const links = [...(this.#python.get(project) ?? [])].map(([name, bytes]) => {
      const hash = createHash("sha256").update(bytes).digest("hex");
      return `<a href="/files/${name}#sha256=${hash}">${name}</a>`;
    });
    response.setHeader("content-type", "text/html");
    response.end(`<!DOCTYPE html><html><body>${links.join("")}</body></html>`);
  }
}

const integrityOf = (bytes: Uint8Array): string =>
  `sha512-${createHash("sha512").update(bytes).digest("base64")}`;

export const tarball = (files: Readonly<Record<string, string>>, top = "package"): Uint8Array =>
  writeTarGz(
    Object.entries(files).map(([path, text]) => ({
      ...file(`${top}/${path}`, text),
      executable: path.endsWith(".sh"),
    })),
    nodeCodec,
  );
