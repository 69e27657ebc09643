/**
 * A network namespace for commands of packages: its own loopback, and in it only the ports that the server answers (the
 * proxy to public addresses, and declared ports of this machine). It has no other way out, so a package reaches no other
 * port of the machine, whatever it tries. Commands of the same user with the same ports share one.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { lookup } from "node:dns/promises";
import { once } from "node:events";
import { closeSync, existsSync, openSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { fileURLToPath } from "node:url";
import { fail, ok, type Result } from "@capstan/core";
import { kernelPeer } from "../network/kernel-peer.ts";
import { join, openTo, packageProxy } from "../network/package-proxy.ts";
import { allowList, loopbackPortsOf } from "../network/url-policy.ts";

const LOOPBACK = "127.0.0.1";
const IDLE_MS = 60_000;
const READY_MS = 20_000; // Node's start on a busy machine
const PROXY_PORT = 3128;
const MOST_CONNECTIONS = 256; // of one package at a time: each takes descriptors of the server
const CHILD_FILES = ["./commands/network-child.js", "./network-child.ts", "./network-child.js"].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
);
/** Brings up the loopback device: through its file, otherwise with whichever tool the system has. */
const LOOPBACK_UP =
  'mount -t sysfs -o nosuid,nodev,noexec sysfs /sys 2>/dev/null && (echo 0x9 >/sys/class/net/lo/flags) 2>/dev/null || ip link set lo up 2>/dev/null || ifconfig lo up || exit 1; exec "$@"';

export interface GuardedNetwork {
  /** `host:port` that it may reach although they are not public, such as its own service. */
  readonly hosts: readonly string[];
  /** Nothing but these: `host`, `host:port` or `*.domain`. Where that cannot be enforced, the command does not run. */
  readonly only?: readonly string[];
  /** The port on which it answers; it is then reached on the same port of this machine. */
  readonly servesPort?: number;
}

export interface NetworkEntry {
  /** Goes before the wrapper of the command. */
  readonly words: readonly string[];
  /** Tells programs where the proxy is. */
  readonly env: Readonly<Record<string, string>>;
  /** When the command has ended. */
  leave(): void;
}

export interface NetworkOptions {
  readonly isRoot: boolean;
  /** As in CAPSTAN_ALLOW_HOSTS. */
  readonly allowHosts?: readonly string[] | undefined;
  /** The operator's outgoing proxy. */
  readonly upstreamProxy?: string | undefined;
}

/** A new namespace, with its loopback awake; the words of a program follow. */
export const namespaceWords = (isRoot: boolean): string[] => [
  "unshare",
  ...(isRoot ? [] : ["--user", "--map-root-user"]),
  ...["--net", "--mount", "--", "/bin/sh", "-c", LOOPBACK_UP, "sh"],
];

export class PackageNetworks {
  readonly #options: NetworkOptions;
  readonly #networks = new Map<string, Promise<PackageNetwork>>();

  constructor(options: NetworkOptions) {
    this.#options = options;
  }

  async enter(uid: number, { hosts, servesPort, only }: GuardedNetwork): Promise<Result<NetworkEntry>> {
    const named = [...new Set([...hosts, ...(this.#options.allowHosts ?? [])])].sort();
    const key = [uid, servesPort ?? "", ...named, ...(only ? ["only", ...only] : [])].join(" ");
    const making = this.#networks.get(key) ?? this.#make(key, named, servesPort, only);
    try {
      return ok((await making).enter());
    } catch (error) {
      return fail("package_network_unavailable", {
        why: error instanceof Error ? error.message : String(error),
      });
    }
  }

  async close(): Promise<void> {
    const networks = await Promise.allSettled(this.#networks.values());
    this.#networks.clear();
    for (const network of networks) if (network.status === "fulfilled") network.value.close();
  }

  #make(
    key: string,
    named: readonly string[],
    servesPort: number | undefined,
    only: readonly string[] | undefined,
  ): Promise<PackageNetwork> {
    const { isRoot, upstreamProxy } = this.#options;
    const reached = only === undefined ? named : named.filter((entry) => only.includes(entry));
    const loopbackPorts = loopbackPortsOf(reached).filter((port) => port !== servesPort);
    const upstream = upstreamProxy === undefined ? undefined : (URL.parse(upstreamProxy) ?? undefined);
    const rules = { allowed: allowList(reached), loopbackPorts, resolve, upstream, only };
    const forget = () => this.#networks.delete(key);
    const making = PackageNetwork.make({ isRoot, loopbackPorts, servesPort, rules, forget });
    this.#networks.set(key, making);
    making.catch(forget);
    return making;
  }
}

interface PackageNetworkParts {
  readonly isRoot: boolean;
  readonly loopbackPorts: readonly number[];
  readonly servesPort: number | undefined;
  readonly rules: Parameters<typeof packageProxy>[0];
  readonly forget: () => void;
}

class PackageNetwork {
  readonly #parts: PackageNetworkParts;
  readonly #proxyPort: number;
  readonly #servers: Server[] = [];
  readonly #namespaces: { readonly net: number; readonly user: number };
  #inside = 0;
  #isClosed = false;
  #idle: NodeJS.Timeout | undefined;
  #child: ChildProcess | undefined;

  private constructor(parts: PackageNetworkParts, proxyPort: number, child: ChildProcess) {
    this.#parts = parts;
    this.#proxyPort = proxyPort;
    this.#child = child;
    const open = (name: string) => openSync(`/proc/${child.pid}/ns/${name}`, "r");
    this.#namespaces = { net: open("net"), user: open("user") };
  }

  static async make(parts: PackageNetworkParts): Promise<PackageNetwork> {
    const { isRoot, loopbackPorts, servesPort, rules } = parts;
    const taken = [...loopbackPorts, servesPort];
    let proxyPort = PROXY_PORT;
    while (taken.includes(proxyPort)) proxyPort++;
    const [file = "", ...args] = [
      ...namespaceWords(isRoot),
      ...[process.execPath, "--no-warnings", CHILD_FILES.find((path) => existsSync(path)) ?? ""],
      ...[[proxyPort, ...loopbackPorts].join(","), String(servesPort ?? "")],
    ];
    const env = { PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" };
    const child = spawn(file, args, { cwd: "/", env, stdio: ["ignore", "ignore", "ignore", "ipc"] });
    try {
      const listening = await sockets(child, loopbackPorts.length + 1);
      const network = new PackageNetwork(parts, proxyPort, child);
      await network.#serve(listening, rules);
      return network;
    } catch (error) {
      child.kill("SIGKILL");
      throw error;
    }
  }

  enter(): NetworkEntry {
    this.#inside += 1;
    clearTimeout(this.#idle);
    const { net, user } = this.#namespaces;
    const at = (descriptor: number) => `/proc/${process.pid}/fd/${descriptor}`;
    const asUser = this.#parts.isRoot ? [] : [`--user=${at(user)}`, "--preserve-credentials"];
    let isIn = true;
    return {
      words: ["nsenter", `--net=${at(net)}`, ...asUser, "--"],
      env: proxyVariables(this.#proxyPort),
      leave: () => {
        if (isIn) this.#leave();
        isIn = false;
      },
    };
  }

  close(): void {
    if (this.#isClosed) return; // its descriptors may be reused by now
    this.#isClosed = true;
    clearTimeout(this.#idle);
    this.#parts.forget();
    for (const server of this.#servers.splice(0)) server.close();
    this.#child?.kill("SIGKILL");
    this.#child = undefined;
    closeSync(this.#namespaces.net);
    closeSync(this.#namespaces.user);
  }

  #leave(): void {
    this.#inside -= 1;
    if (this.#inside > 0) return;
    if (this.#parts.servesPort !== undefined)
      this.close(); // its port is free for the next start
    else this.#idle = setTimeout(() => this.close(), IDLE_MS).unref();
  }

  async #serve(listening: ReadonlyMap<number, Server>, rules: PackageNetworkParts["rules"]): Promise<void> {
    const proxy = packageProxy(rules);
    for (const [port, server] of listening) {
      this.#servers.push(server.unref());
      server.maxConnections = MOST_CONNECTIONS;
      if (port === this.#proxyPort) server.on("connection", (socket) => proxy.emit("connection", socket));
      else server.on("connection", (socket) => forward(socket, port));
    }
    const child = this.#child;
    if (this.#parts.servesPort === undefined) {
      child?.send("done");
      this.#child = undefined;
      return;
    }
    child?.unref();
    child?.channel?.unref();
    const outside = createServer({ pauseOnConnect: true }, async (socket) => {
      if (!(await isOwnUser(socket))) return socket.destroy();
      return child?.send("connection", socket, (error) => error && socket.destroy());
    });
    outside.listen(this.#parts.servesPort, LOOPBACK);
    await once(outside, "listening");
    this.#servers.push(outside.unref());
  }
}

const peerOf = kernelPeer();

/** Other users of the machine must not reach a service; what the server forwards has the server's user id. */
async function isOwnUser(socket: Socket): Promise<boolean> {
  const uid = (await peerOf?.(socket))?.uid;
  return uid === 0 || uid === process.getuid?.();
}

/** Nothing is passed on before the connection is marked as a package's. */
function forward(socket: Socket, port: number): void {
  socket.on("error", () => {}).pause();
  openTo(LOOPBACK, port).then(
    (opened) => join(socket, opened),
    () => socket.destroy(),
  );
}

/** The sockets that the child has opened inside, by port. */
function sockets(child: ChildProcess, count: number): Promise<Map<number, Server>> {
  const found = new Map<number, Server>();
  return new Promise((done, failed) => {
    const late = setTimeout(() => failed(new Error("the network namespace did not start in time")), READY_MS);
    const stop = (error: Error) => {
      clearTimeout(late);
      failed(error);
    };
    child.on("error", stop);
    child.on("exit", (code) => stop(new Error(`the network namespace ended with code ${code}`)));
    child.on("message", (message, handle) => {
      found.set((message as { port: number }).port, handle as Server);
      if (found.size < count) return;
      clearTimeout(late);
      child.removeAllListeners("exit");
      done(found);
    });
  });
}

function proxyVariables(port: number): Record<string, string> {
  const proxy = `http://${LOOPBACK}:${port}`;
  const direct = `${LOOPBACK},localhost`;
  return {
    HTTP_PROXY: proxy,
    HTTPS_PROXY: proxy,
    http_proxy: proxy,
    https_proxy: proxy,
    NO_PROXY: direct,
    no_proxy: direct,
    NODE_USE_ENV_PROXY: "1",
  };
}

const resolve = async (hostname: string): Promise<string[]> =>
  (await lookup(hostname, { all: true })).map(({ address }) => address);
