import { EventEmitter } from "node:events";
import type pg from "pg";
import { expect, test } from "vitest";
import { Presence } from "./presence.ts";

/** A connection as in pg's pool: releasing it twice is an error that ends the process. */
class LentConnection extends EventEmitter {
  released = 0;
  refuses = false;
  query(): Promise<unknown> {
    return this.refuses ? Promise.reject(new Error("Connection terminated")) : Promise.resolve({ rows: [] });
  }
  release(): void {
    if (this.released++ > 0) throw new Error("Release called on client which has already been released");
  }
}

test("a connection that breaks twice, and once more while closing, is released once", async () => {
  const ear = new LentConnection();
  const presence = listeningBy(ear);
  await presence.start();
  ear.emit("error", new Error("terminating connection due to administrator command"));
  ear.emit("error", new Error("read ECONNRESET"));
  await presence.close();
  ear.emit("error", new Error("read ECONNRESET"));
  expect(ear.released).toBe(1);
});

test("a connection that breaks before it listens is released once, and the start gets the error", async () => {
  const ear = new LentConnection();
  ear.refuses = true;
  const presence = listeningBy(ear);
  await expect(presence.start()).rejects.toThrow("Connection terminated");
  ear.emit("error", new Error("read ECONNRESET"));
  await presence.close();
  expect(ear.released).toBe(1);
});

test("words for other processes go out in payloads below Postgres's 8,000 bytes, none lost", async () => {
  const payloads: string[] = [];
  const pool = {
    connect: async () => new LentConnection(),
    query: async (text: string, [, payload = ""]: string[] = []) => {
      if (text.includes("pg_notify")) payloads.push(payload);
      return { rows: [{ others: 1, silent: [] }] };
    },
  } as unknown as pg.Pool;
  const words = Array.from({ length: 5 }, (_, at) => `${at}`.repeat(7_000));
  const shares = { toTell: () => words.splice(0), hear: () => {} };
  const presence = listeningBy(new LentConnection(), pool, shares);
  await presence.start();
  for (let at = 0; at < 400; at++) presence.hint(`session-${at}`);
  await presence.close();
  expect(Math.max(...payloads.map((payload) => payload.length))).toBeLessThan(8_000);
  const sent = payloads.flatMap((payload) => payload.split(",").slice(1));
  expect(sent).toHaveLength(405);
  expect(sent.filter((word) => word.startsWith("%")).map((word) => word.length)).toEqual(
    Array(5).fill(7_001),
  );
});

function listeningBy(
  ear: LentConnection,
  pool = { connect: async () => ear, query: async () => ({ rows: [] }) } as unknown as pg.Pool,
  shares?: ConstructorParameters<typeof Presence>[0]["shares"],
): Presence {
  return new Presence({
    pool,
    sessionPool: pool,
    executorId: "me",
    listenedTo: () => [],
    takeOver: async () => {},
    onEvents: () => {},
    stop: () => {},
    dropIdleHarness: () => {},
    policiesChanged: () => {},
    shares,
    onError: () => {},
  });
}
