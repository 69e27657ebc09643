/**
 * An AG-UI client in a plain page (ag-ui-page/index.html), and the few lines of server code behind it. Browsers enforce
 * the same origin, so this server proxies `/agent`; a real site would also log its users in here.
 */
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { createApi } from "@capstan/client";
import { value } from "./talk.ts";
import { withServer } from "./with-server.ts";

const page = await readFile(new URL("./ag-ui-page/index.html", import.meta.url));

await withServer(async (url) => {
  const agents = createApi({ url }).agents;
  const agent = value(
    await agents.create({ name: "Page helper", capabilities: ["current_time", "test_math"] }),
  );
  const site = createServer(async (request, response) => {
    if (!request.url?.startsWith("/agent")) return response.end(page);
    const rest = request.url.slice("/agent".length);
    const answer = await fetch(`${url}/v1/agents/${agent.id}/ag-ui${rest}`, {
      method: request.method ?? "GET",
      headers: { "content-type": "application/json", accept: request.headers.accept ?? "*/*" },
      ...(request.method === "POST" && { body: Readable.toWeb(request) as ReadableStream, duplex: "half" }),
    } as RequestInit);
    response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "" });
    if (answer.body) Readable.fromWeb(answer.body as never).pipe(response);
  });
  await new Promise<void>((resolve) => site.listen(Number(process.env.SITE_PORT ?? 0), "127.0.0.1", resolve));
  console.log(`open http://127.0.0.1:${(site.address() as AddressInfo).port} (Ctrl-C ends it)`);
  await new Promise((resolve) => process.once("SIGINT", resolve).once("SIGTERM", resolve));
  site.closeAllConnections();
  site.close();
});
