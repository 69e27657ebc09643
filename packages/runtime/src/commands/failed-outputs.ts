/**
 * The complete output of failed commands, for anyone who needs more than the line in the failure. Files of the data
 * folder, so that a restart keeps them; the newest two hundred, readable by the user of the call.
 */
import { randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fail, ok, type Result } from "@capstan/core";
import { z } from "zod";

const MOST_KEPT = 200; // of at most 2 MB each

const FailedOutput = z.object({
  owner: z.string(),
  command: z.string(),
  exit_code: z.int(),
  stdout: z.string(),
  stderr: z.string(),
  /** The command printed more than is kept. */
  cut: z.boolean(),
  created_at: z.string(),
});
export type FailedOutput = z.infer<typeof FailedOutput>;

export class FailedOutputs {
  readonly #folder: string;

  constructor(dataDir: string) {
    this.#folder = join(dataDir, "outputs");
  }

  /** Returns the id to read it by. */
  async keep(output: FailedOutput): Promise<string> {
    const id = randomUUID();
    const path = this.#pathOf(id);
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    await writeFile(`${path}.tmp`, JSON.stringify(output), { mode: 0o600 });
    await rename(`${path}.tmp`, path);
    await this.#dropOldest();
    return id;
  }

  /** Someone else's is treated as missing. */
  async read(id: string, isMine: (owner: string) => boolean): Promise<Result<FailedOutput>> {
    const missing = fail("not_found", { what: "command output", id });
    if (!z.uuid().safeParse(id).success) return missing;
    const text = await readFile(this.#pathOf(id), "utf8").catch(() => undefined);
    if (text === undefined) return missing;
    const output = FailedOutput.parse(JSON.parse(text));
    return isMine(output.owner) ? ok(output) : missing;
  }

  async #dropOldest(): Promise<void> {
    const names = await readdir(this.#folder);
    if (names.length <= MOST_KEPT) return;
    const dated = await Promise.all(
      names.map(async (name) => {
        const path = join(this.#folder, name);
        return { path, at: (await stat(path).catch(() => undefined))?.mtimeMs ?? 0 };
      }),
    );
    const oldest = dated.sort((a, b) => a.at - b.at).slice(0, names.length - MOST_KEPT);
    await Promise.all(oldest.map(({ path }) => rm(path, { force: true })));
  }

  #pathOf(id: string): string {
    return join(this.#folder, `${id}.json`);
  }
}
