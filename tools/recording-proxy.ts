/** Forwards requests to another loopback server and records their bodies verbatim. */
import http from "node:http";
import type { AddressInfo } from "node:net";

export interface RecordingProxy {
  readonly url: string;
  readonly bodies: string[];
  close(): void;
}

export async function recordingProxy(target: () => string): Promise<RecordingProxy> {
  const bodies: string[] = [];
  const proxy = http.createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    bodies.push(body.toString());
    const { host: _, ...headers } = request.headers;
    const onward = http.request(
      `${target()}${request.url}`,
      { method: request.method, headers },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
        answer.on("close", () => answer.complete || response.destroy());
      },
    );
    onward.on("error", () => response.destroy());
    onward.end(body);
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const { port } = proxy.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, bodies, close: () => void proxy.close() };
}
