/**
 * Server processes under a supervisor that restarts each immediately, and a killer on a fixed schedule: it does not wait
 * until a server is up before it kills the next one.
 */
import type { SpawnedServer } from "../server-process.ts";
import { type ServerProcess, serverProcess, spawnServer } from "../server-process.ts";
import type { Answer } from "../test-server.ts";

const LOOK_MS = 250;
const RESTART_MS = 100; // as systemd waits
const NOBODY = "http://127.0.0.1:9";
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

interface FleetOptions {
  readonly size: number;
  readonly store: { dataDir: string; url: string };
  readonly environment: Record<string, string>;
  /** Where the servers are started. */
  readonly folder: string;
  /** Receives errors that no outage explains. */
  readonly faults: string[];
}

interface Slot {
  readonly spawned: SpawnedServer;
  up?: ServerProcess;
  killed?: true;
}

const DATABASE_AWAY = /^capstan: The database at .* does not answer/m; // its last words, not what it waited for

export class ChaosFleet {
  readonly #options: FleetOptions;
  readonly #slots: (Slot | undefined)[] = [];
  readonly #looks: number[] = [];
  #watch: NodeJS.Timeout | undefined;
  #closed = false;
  #asked = 0;
  #kills = 0;
  #killsBeforeReady = 0;
  #startsInVain = 0;

  constructor(options: FleetOptions) {
    this.#options = options;
  }

  /** One server creates the schema and, by a clean exit, its compile cache; then all start at once. */
  async open(): Promise<void> {
    const { store, environment, folder, size } = this.#options;
    await (await serverProcess(store, environment, folder)).end();
    for (let index = 0; index < size; index++) this.#start(index);
    await Promise.all(this.#slots.map((slot) => slot?.spawned.ready));
  }

  /** The address of a server that is up, round-robin. */
  url(): string {
    const up = this.#up();
    return up[this.#asked++ % Math.max(1, up.length)]?.url ?? NOBODY;
  }

  call(method: string, path: string, body: unknown): Promise<Answer> {
    const [first] = this.#up();
    if (!first) throw new Error("no server is up");
    return first.call(method, path, body);
  }

  /** At each tick the next one is killed with kill -9, whether it is up or still starting. */
  async killEvery(seconds: number, until: number): Promise<void> {
    this.#watch = setInterval(() => this.#looks.push(this.#up().length), LOOK_MS);
    const begun = performance.now();
    for (let stroke = 1; ; stroke++) {
      const at = begun + stroke * seconds * 1000;
      if (at > until + LOOK_MS) break;
      await pause(at - performance.now());
      this.#kill(stroke % this.#options.size);
    }
    clearInterval(this.#watch);
  }

  counts() {
    const share = (matches: (up: number) => boolean) => this.#looks.filter(matches).length * (LOOK_MS / 1000);
    const sum = this.#looks.reduce((total, up) => total + up, 0);
    return {
      kills: this.#kills,
      killsBeforeReady: this.#killsBeforeReady,
      startsInVain: this.#startsInVain,
      serversUpOnAverage: Math.round((10 * sum) / Math.max(1, this.#looks.length)) / 10,
      secondsWithoutServer: Math.round(share((up) => up === 0)),
    };
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#watch);
    await Promise.all(this.#slots.map((slot) => slot?.spawned.end("SIGKILL")));
  }

  #up(): ServerProcess[] {
    return this.#slots.flatMap((slot) => slot?.up ?? []);
  }

  #kill(index: number): void {
    const slot = this.#slots[index] ?? this.#slots.find((other) => other !== undefined);
    if (!slot) return;
    this.#kills++;
    if (!slot.up) this.#killsBeforeReady++;
    delete slot.up;
    slot.killed = true;
    slot.spawned.child.kill("SIGKILL");
  }

  #start(index: number): void {
    const { store, environment, folder } = this.#options;
    const slot: Slot = { spawned: spawnServer(store, environment, folder) };
    this.#slots[index] = slot;
    slot.spawned.ready.then(
      (server) => {
        if (!slot.killed) slot.up = server;
      },
      () => {},
    );
    slot.spawned.child.once("exit", (code) => this.#gone(index, slot, code));
  }

  #gone(index: number, slot: Slot, code: number | null): void {
    this.#slots[index] = undefined;
    if (this.#closed) return;
    if (!slot.killed) this.#ownEnd(slot, code);
    setTimeout(() => {
      if (!this.#closed) this.#start(index);
    }, RESTART_MS);
  }

  /** A server may only exit without being killed while it starts. */
  #ownEnd({ up, spawned }: Slot, code: number | null): void {
    const words = spawned.log();
    if (up || !DATABASE_AWAY.test(words))
      this.#options.faults.push(`a server ended with ${code}: ${words.slice(-2000)}`);
    else {
      this.#startsInVain++;
      console.warn(words.slice(-1000));
    }
  }
}
