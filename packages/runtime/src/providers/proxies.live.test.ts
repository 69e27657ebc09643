import { createServer, type Server } from "node:http";
import type { Socket } from "node:net";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { nodeFetch, useProxies } from "./node-fetch.ts";

let proxy: Server;
let target: Server;
const seen: string[] = [];
beforeAll(async () => {
  target = await listening(createServer((_request, response) => response.end("the model")));
  proxy = createServer((request, response) => {
    seen.push(request.url ?? "");
    response.end("by the proxy");
  });
  proxy.on("connect", (request, socket: Socket) => {
    seen.push(`CONNECT ${request.url}`);
    socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n");
  });
  await listening(proxy);
});
afterAll(() => Promise.all([proxy, target].map((server) => new Promise((resolve) => server.close(resolve)))));
afterEach(() => seen.splice(0));

test("model calls use the proxy of the environment, encrypted ones through a tunnel", async () => {
  const address = `http://127.0.0.1:${portOf(proxy)}`;
  useProxies({ HTTPS_PROXY: address, http_proxy: address, NO_PROXY: "intranet.example" });
  expect(await (await nodeFetch("http://models.example/v1")).text()).toBe("by the proxy");
  await expect(nodeFetch("https://models.example/v1")).rejects.toThrow();
  expect(seen).toEqual(["http://models.example/v1", "CONNECT models.example:443"]);
});

test("a model on this machine is called directly, whatever the environment says", async () => {
  useProxies({ HTTP_PROXY: `http://127.0.0.1:${portOf(proxy)}` });
  expect(await (await nodeFetch(`http://127.0.0.1:${portOf(target)}/v1`)).text()).toBe("the model");
  expect(seen).toEqual([]);
});

const portOf = (server: Server): number => {
  const address = server.address();
  return typeof address === "object" && address ? address.port : 0;
};

const listening = (server: Server): Promise<Server> =>
  new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server)));
