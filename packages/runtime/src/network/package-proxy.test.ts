/** A command that carries a token: its proxy opens connections to the token's hosts, and to no other. */

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { connect } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { packageProxy } from "./package-proxy.ts";
import { allowList } from "./url-policy.ts";

const service = createServer((_, response) => response.end("here"));
let proxyPort = 0;
let port = 0;
const listen = (server: ReturnType<typeof createServer>) =>
  new Promise<number>((done) =>
    server.listen(0, "127.0.0.1", () => done((server.address() as AddressInfo).port)),
  );
let proxy: ReturnType<typeof packageProxy>;
beforeAll(async () => {
  port = await listen(service);
  const rules = {
    allowed: allowList([]),
    resolve: async () => ["127.0.0.1"],
    only: [`127.0.0.1:${port}`, "*.provider.example"],
  };
  proxy = packageProxy({ ...rules, loopbackPorts: [port] });
  proxyPort = await listen(proxy);
});
afterAll(() => {
  service.close();
  proxy.close();
});

const opened = (target: string): Promise<string> =>
  new Promise((done, failed) => {
    const socket = connect(proxyPort, "127.0.0.1", () =>
      socket.write(`CONNECT ${target} HTTP/1.1\r\nhost: ${target}\r\n\r\n`),
    );
    socket.once("data", (bytes) => {
      socket.destroy();
      done(bytes.toString().slice("HTTP/1.1 ".length, "HTTP/1.1 ".length + 3));
    });
    socket.once("error", failed);
  });

test("the host of the token is reached, another one is not", async () => {
  expect(await opened(`127.0.0.1:${port}`)).toBe("200");
  expect(await opened(`localhost:${port}`)).not.toBe("200");
  expect(await opened(`evil.example:${port}`)).not.toBe("200");
  expect(await opened(`provider.example.evil.example:${port}`)).not.toBe("200");
});
