/** What a package and a service would reach on the machine they run on, for a server that is root and one that is not. */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";

const isRoot = process.getuid?.() === 0;
const AS_ANOTHER = ["setpriv", "--reuid=12345", "--regid=12345", "--clear-groups", "--"];
const SERVERS = [
  { server: "root", drop: [] as string[], isHere: isRoot },
  { server: "another user", drop: isRoot ? AS_ANOTHER : [], isHere: true },
].filter(({ isHere }) => isHere && process.platform === "linux");
const PROGRAM = fileURLToPath(new URL("../fixtures/package-network.ts", import.meta.url));

describe.each(SERVERS)("on a server run by $server", ({ drop }) => {
  test("a package and a service would talk to every program that listens on the machine", async () => {
    const [command = "", ...args] = [...drop, process.execPath, PROGRAM];
    const { stdout } = await promisify(execFile)(command, args, { env: { PATH: "/usr/bin:/bin" } });
    const { reached, itsOwn, fromService, toService } = JSON.parse(stdout);
    const shut = (all: [string, boolean][]) => all.map(([host]) => [host, false]);
    expect(reached).toEqual(shut(reached));
    expect(fromService).toEqual(shut(fromService));
    expect(reached.length).toBeGreaterThan(5);
    expect(itsOwn, "the port that was declared").toBe(true);
    expect(toService, "another user of the machine, at the service's port").toBe("refused");
  });
});
