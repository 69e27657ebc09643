/** Forwards requests to another loopback server and records their bodies verbatim. */
import http from "node:http";
import type { AddressInfo } from "node:net";

export interface RecordingProxy {
  readonly url: string;
  readonly bodies: string[];
  /** Answers stop behind the event that holds this word, until then. */
  hold?: { readonly after: string; readonly until: Promise<unknown> } | undefined;
  close(): void;
}

export async function recordingProxy(target: () => string): Promise<RecordingProxy> {
  const proxied: RecordingProxy = { url: "", bodies: [], close: () => void proxy.close() };
  const proxy = http.createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    proxied.bodies.push(body.toString());
    const { host: _, ...headers } = request.headers;
    const onward = http.request(
      `${target()}${request.url}`,
      { method: request.method, headers },
      (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        if (proxied.hold) return void pipeHeld(answer, response, proxied.hold);
        answer.pipe(response);
        answer.on("close", () => answer.complete || response.destroy());
      },
    );
    onward.on("error", () => response.destroy());
    onward.end(body);
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  const { port } = proxy.address() as AddressInfo;
  return Object.assign(proxied, { url: `http://127.0.0.1:${port}` });
}

async function pipeHeld(
  answer: http.IncomingMessage,
  response: http.ServerResponse,
  { after, until }: NonNullable<RecordingProxy["hold"]>,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  const cut = text.indexOf("\n\n", text.indexOf(after)) + 2;
  response.write(text.slice(0, cut));
  await until;
  response.end(text.slice(cut));
}
