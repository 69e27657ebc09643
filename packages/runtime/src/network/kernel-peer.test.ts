import { expect, test } from "vitest";
import { findPeer, sharedReading } from "./kernel-peer.ts";

test("those who ask at the same time share a reading, and none gets one that began before it asked", async () => {
  const readings: ((text: string) => void)[] = [];
  const read = sharedReading(() => new Promise<string>((resolve) => readings.push(resolve)));
  const early = [read(), read()];
  await Promise.resolve();
  expect(readings).toHaveLength(1);
  const late = [read(), read(), read()];
  readings[0]?.("first");
  expect(await Promise.all(early)).toEqual(["first", "first"]);
  await expect.poll(() => readings.length).toBe(2);
  readings[1]?.("second");
  expect(await Promise.all(late)).toEqual(["second", "second", "second"]);
});

test("a reading that failed does not fail the next one", async () => {
  let count = 0;
  const read = sharedReading(async () => {
    count += 1;
    if (count === 1) throw new Error("unreadable");
    return count;
  });
  await expect(read()).rejects.toThrow("unreadable");
  expect(await read()).toBe(2);
});

const ROWS = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1130 0100007F:1234 01 00000000:00000000 00:00000000 00000000     0        0 70 1 0 20 4 30 10 -1
   1: 0100007F:1234 0100007F:1130 01 00000000:00000000 00:00000000 00000000  1000        0 71 1 0 20 4 30 10 -1
   2: 0100007F:1235 0100007F:1130 06 00000000:00000000 03:00000cf0 00000000     0        0 0 3 0
   3: 0000000000000000FFFF00000100007F:1236 0000000000000000FFFF00000100007F:1130 01 00000000:00000000 00:00000000 00000000  1001        0 73 1 0 20 4 30 10 -1
   4: 00000000000000000000000001000000:1237 00000000000000000000000001000000:1130 01 00000000:00000000 00:00000000 00000000  1002        0 74 1 0 20 4 30 10 -1`;

test.each([
  { from: "127.0.0.1", port: 0x1234, peer: { uid: 1000, inode: "71" } },
  { from: "::ffff:127.0.0.1", port: 0x1236, peer: { uid: 1001, inode: "73" } },
  { from: "::1", port: 0x1237, peer: { uid: 1002, inode: "74" } },
  { from: "127.0.0.1", port: 0x1235, peer: undefined }, // closed: the kernel names root
  { from: "127.0.0.1", port: 0x1238, peer: undefined },
])("finds the other end of a connection from $from, port $port", ({ from, port, peer }) => {
  const socket = { remoteAddress: from, remotePort: port, localAddress: from, localPort: 0x1130 };
  expect(findPeer(socket, ROWS)).toEqual(peer);
});
