/** Turns an HTTP API into tools: reviews and installs its OpenAPI document, then calls one of its operations. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createApi } from "@capstan/client";
import { value } from "./talk.ts";
import { withServer } from "./with-server.ts";

const shop = createServer((request, response) => {
  response.setHeader("content-type", "application/json");
  const isDocument = request.url === "/openapi.json";
  response.end(JSON.stringify(isDocument ? description() : { id: request.url?.split("/").at(-1), stock: 7 }));
});
await new Promise<void>((resolve) => shop.listen(0, "127.0.0.1", resolve));
const shopUrl = `http://127.0.0.1:${(shop.address() as AddressInfo).port}`;

// Tools may not reach private addresses; this one is ours, so we allow it.
await withServer(
  async (url) => {
    const api = createApi({ url });
    const source = { source: `${shopUrl}/openapi.json`, kind: "openapi" as const };
    const review = value(await api.packages.review(source));
    console.log(`review: ${review.name} adds ${review.tools.map(({ name }) => name).join(", ")}`);
    const installed = value(await api.packages.install({ ...source, yes: true, sha256: review.sha256 }));
    const id = installed.description.capability ?? installed.name;

    const { tools } = value(await api.capabilities.get(id));
    const tool = tools[0]?.name ?? "";
    const answer = value(await api.capabilities.runTool(id, tool, { input: { id: "lamp" } }));
    console.log(`${tool}:`, JSON.stringify(answer));
    value(await api.packages.uninstall(installed.name));
  },
  { CAPSTAN_ALLOW_HOSTS: "127.0.0.1" },
);
shop.close();

function description() {
  const id = { name: "id", in: "path", required: true, schema: { type: "string" } };
  const responses = { 200: { description: "The item, and how many there are." } };
  return {
    openapi: "3.1.0",
    info: { title: "Shop", version: "1.0.0", description: "What is on the shelves." },
    servers: [{ url: shopUrl }],
    paths: {
      "/items/{id}": {
        get: { operationId: "getItem", summary: "One item of the shop.", parameters: [id], responses },
      },
    },
  };
}
