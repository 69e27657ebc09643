/** Who on this machine counts as the local user: not everybody who can connect to 127.0.0.1. */
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { localTokenFile } from "@capstan/core/internal";
import { createGuardedFetch, findPeer } from "@capstan/runtime";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freshPglite } from "../../../../tools/stores-under-test.ts";
import { type TestServer, testServer } from "../../../../tools/test-server.ts";
import { probeCommandIsolation, uidFor } from "../../../runtime/src/commands/command-isolation.ts";
import { nodeFiles } from "../../../runtime/src/commands/program-files.ts";
import { runCommand } from "../../../runtime/src/commands/run-command.ts";

const isLinux = process.platform === "linux";
const isRoot = process.getuid?.() === 0;
const AS_ANOTHER = ["setpriv", "--reuid=12345", "--regid=12345", "--clear-groups", "--"];

describe.runIf(isLinux && isRoot)("another user of the machine", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await testServer(await freshPglite());
  });
  afterAll(() => server.stop());

  test("would be the local admin by connecting to loopback", async () => {
    const read = `fetch("${server.url}/v1/keys").then((answer) => console.log(answer.status))`;
    expect(await runAs(AS_ANOTHER, read)).toBe("401");
    expect(await runAs([], read)).toBe("200");
  });

  test("would be root by hanging up before the server looks", async () => {
    const body = JSON.stringify({ name: "stolen", rights: ["admin"] });
    const lines = ["POST /v1/keys HTTP/1.1", "Host: 127.0.0.1", "Content-Type: application/json"];
    const request = [...lines, `Content-Length: ${body.length}`, "", body].join("\r\n");
    const { port } = new URL(server.url);
    const hangUp = `for (let n = 0; n < 20; n++) {
      const socket = require("node:net").connect(${port}, "127.0.0.1", () => {
        socket.write(${JSON.stringify(request)}, () => socket.destroy());
      });
      socket.on("error", () => {});
    }`;
    await runAs(AS_ANOTHER, hangUp);
    const keys = (await (await fetch(`${server.url}/v1/keys`)).json()) as { items: { name: string }[] };
    expect(keys.items.filter(({ name }) => name === "stolen")).toEqual([]);
  });
});

test("a row of a connection that was closed, which the kernel shows as root's, names nobody", () => {
  const socket = { remoteAddress: "127.0.0.1", remotePort: 4660, localAddress: "127.0.0.1", localPort: 4400 };
  const row = (state: string, inode: string) =>
    `  3: 0100007F:1234 0100007F:1130 ${state} 00000000:00000000 00:00000000 00000000     0        0 ${inode} 1`;
  expect(findPeer(socket, row("01", "77"))).toEqual({ uid: 0, inode: "77" });
  for (const closed of [row("06", "0"), row("01", "0"), row("05", "77")])
    expect(findPeer(socket, closed)).toBeUndefined();
});

const SERVERS = [
  { server: "root", drop: [] as string[], isHere: isRoot },
  { server: "another user", drop: isRoot ? AS_ANOTHER : [], isHere: true },
].filter(({ isHere }) => isHere && isLinux);

test.each(SERVERS)("a package would be the local admin of a server run by $server", async ({ drop }) => {
  const program = fileURLToPath(new URL("../fixtures/confined-caller.ts", import.meta.url));
  const [command = "", ...args] = [...drop, process.execPath, program];
  const { stdout } = await promisify(execFile)(command, args, { env: { PATH: "/usr/bin:/bin" } });
  const { own, confined } = JSON.parse(stdout) as { own: string; confined: string };
  expect(own).toBe("the local admin");
  expect(["a stranger", "unreachable"]).toContain(confined);
});

describe.runIf(isLinux)("a request that the server makes for others would be its own user's", () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await testServer(await freshPglite());
  });
  afterAll(() => server.stop());

  test("by a tool that fetches the server, where the operator allowed the host", async () => {
    const toolFetch = createGuardedFetch({ allowHosts: ["127.0.0.1"] });
    const answer = await toolFetch(`${server.url}/v1/keys`);
    await toolFetch.close();
    expect(answer.ok && answer.value.status).toBe(401);
    expect((await fetch(`${server.url}/v1/keys`)).status, "the user's own request").toBe(200);
  });

  test("by a package, where the operator named the port", async () => {
    const code = `fetch(${JSON.stringify(`${server.url}/v1/keys`)}).then(({ status }) => console.log(status))`;
    const outcome = await runCommand(
      {
        argv: [process.execPath, "-e", code],
        cwd: "/tmp",
        env: {},
        network: { hosts: [new URL(server.url).host] },
        uid: uidFor("package@example.com"),
        readable: nodeFiles(),
        writable: [],
        timeoutMs: 60_000,
        maxOutputBytes: 10_000,
        onFlood: "cut",
        maxMemoryBytes: 1e9,
      },
      await probeCommandIsolation(),
    );
    expect(outcome.ok && outcome.value.stdout.trim()).toBe("401");
  });
});

test("where the system does not tell who connects, a token of mode 0600 does, and ends with the server", async () => {
  const home = mkdtempSync(join(tmpdir(), "capstan-home-"));
  const server = await testServer(await freshPglite(), {}, { localCallers: { home, peerOf: null } });
  const port = Number(new URL(server.url).port);
  const file = localTokenFile(home, port);
  const token = readFileSync(file, "utf8");
  const ask = (key?: string) =>
    fetch(`${server.url}/v1/keys`, key === undefined ? {} : { headers: { authorization: `Bearer ${key}` } });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect([(await ask()).status, (await ask("local_guessed")).status, (await ask(token)).status]).toEqual([
    401, 401, 200,
  ]);
  await server.stop();
  expect(existsSync(file)).toBe(false);
  rmSync(home, { recursive: true });
});

async function runAs(drop: readonly string[], code: string): Promise<string> {
  const [command = "", ...args] = [...drop, process.execPath, "-e", code];
  const { stdout } = await promisify(execFile)(command, args, { env: { PATH: "/usr/bin:/bin" } });
  return stdout.trim();
}
