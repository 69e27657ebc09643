/**
 * A server's part of an installation in a separate process, so that a test can run it as root and as another user:
 * `node install-in-process.ts <what.json>` prints the answer as JSON.
 */
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { memoryPackageStore } from "./memory-package-store.ts";
import { packageHostIn } from "./package-host.ts";

export interface InstallOrder {
  readonly folder: string;
  readonly archive: string;
  readonly fileName: string;
  readonly env: Readonly<Record<string, string>>;
  readonly runToDescribe?: boolean;
  readonly allowScripts?: boolean;
  readonly reviewOnly?: boolean;
  /** Files in the data folder beforehand, readable by the server only. */
  readonly secret: string;
}

const order = JSON.parse(readFileSync(process.argv[2] ?? "", "utf8")) as InstallOrder;
const dataDir = join(order.folder, "data");
mkdirSync(dataDir, { mode: 0o700 });
chmodSync(dataDir, 0o700);
writeFileSync(join(dataDir, "secret"), order.secret, { mode: 0o600 });
const host = await packageHostIn(memoryPackageStore(), dataDir, () => undefined, { ...order.env });
const source = { source: order.fileName, bytes: readFileSync(order.archive) };
const { runToDescribe = false, allowScripts = false } = order;
const answer = order.reviewOnly
  ? await host.installer.review(source, { runToDescribe })
  : await host.installer.install(source, {
      user: "dev@example.com",
      accept: true,
      runToDescribe,
      allowScripts,
    });
process.stdout.write(JSON.stringify(answer));
