/** TLS in front of a Postgres, with a self-signed certificate, as many hosted and self-hosted ones have. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { TLSSocket } from "node:tls";

export interface TlsPostgres {
  /** The same database, through TLS. */
  readonly url: string;
  /** The certificate's file: who names it, trusts it. */
  readonly certificate: string;
  close(): Promise<void>;
}

const SSL_REQUEST = 80_877_103; // the code of Postgres' message that asks for TLS

/** Needs openssl to make the certificate. */
export function hasOpenssl(): boolean {
  try {
    execFileSync("openssl", ["version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

export async function startTlsPostgres(url: string): Promise<TlsPostgres> {
  const folder = mkdtempSync(join(tmpdir(), "capstan-tls-"));
  const [key, certificate] = ["key.pem", "certificate.pem"].map((name) => join(folder, name)) as [
    string,
    string,
  ];
  const names = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"];
  const files = ["-keyout", key, "-out", certificate];
  execFileSync(
    "openssl",
    ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", ...names, ...files],
    {
      stdio: "ignore",
    },
  );
  const identity = { key: readFileSync(key), cert: readFileSync(certificate) };
  const { hostname, port } = new URL(url);
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    sockets.add(client);
    client.on("error", () => {});
    client.once("readable", () => {
      if (client.read(8)?.readInt32BE(4) !== SSL_REQUEST) return client.destroy();
      client.write("S");
      const secure = new TLSSocket(client, { isServer: true, ...identity });
      const inner = connect(Number(port), hostname);
      sockets.add(inner);
      for (const end of [secure, inner]) end.on("error", () => client.destroy());
      secure.pipe(inner).pipe(secure);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const through = new URL(url);
  through.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: through.href,
    certificate,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
