/** Memory snapshots of interpreters after loading, as files only the server can read: the next child starts from them in a tenth of the time. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export class SnapshotFiles {
  readonly #files = new Map<string, string>();
  #folder: string | undefined;
  #removed = false;

  file(language: string): string | undefined {
    return this.#files.get(language);
  }

  keep(language: string, snapshot: Uint8Array | undefined): void {
    if (!snapshot || this.#removed || this.#files.has(language)) return;
    this.#folder ??= mkdtempSync(join(tmpdir(), "capstan-sandbox-")); // created for its owner only (0700)
    const file = join(this.#folder, `${language}.snapshot`);
    writeFileSync(file, snapshot, { mode: 0o600 });
    this.#files.set(language, file);
  }

  remove(): void {
    this.#removed = true;
    if (this.#folder) rmSync(this.#folder, { recursive: true, force: true });
  }
}
