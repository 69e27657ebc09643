import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { writeTarGz } from "@capstan/core/internal";
import { nodeCodec } from "../../packages/runtime/src/install/node-codec.ts";
import { file } from "./test-packages.ts";

/** An npm registry with one package, whose postinstall leaves a file when it runs. */
export async function startRegistry(): Promise<{ url: string; server: Server }> {
  const json = {
    name: "helper",
    version: "1.0.0",
    type: "module",
    main: "index.js",
    scripts: { postinstall: "node -e \"require('fs').writeFileSync('ran','')\"" },
  };
  const tarball = writeTarGz(
    [
      file("package/package.json", JSON.stringify(json)),
      file("package/index.js", "export const word = 'helped';"),
    ],
    nodeCodec,
  );
  const server = createServer((request, response) => {
    if (request.url?.endsWith(".tgz")) return response.end(tarball);
    const dist = { tarball: `http://127.0.0.1:${port}/helper-1.0.0.tgz` };
    response.setHeader("content-type", "application/json");
    return response.end(
      JSON.stringify({
        name: "helper",
        "dist-tags": { latest: "1.0.0" },
        versions: { "1.0.0": { ...json, dist } },
      }),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/`, server };
}
