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

function listeningBy(ear: LentConnection): Presence {
  const pool = { connect: async () => ear, query: async () => ({ rows: [] }) } as unknown as pg.Pool;
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
    onError: () => {},
  });
}
