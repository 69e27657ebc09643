/**
 * The same capability package in Python and in TypeScript: scaffolded like `capstan new`, reviewed, installed, and called
 * on a session's file. Each runs in a separate process with only the rights it was granted.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { scaffold } from "@capstan/cli";
import { createApi } from "@capstan/client";
import { value } from "./talk.ts";
import { withServer } from "./with-server.ts";

const into = mkdtempSync(join(tmpdir(), "capstan-packages-"));
await withServer(async (url) => {
  const api = createApi({ url });
  for (const language of ["python", "typescript"] as const) {
    const name = `words-${language}`;
    const { folder } = value(
      await scaffold({ type: "cli", name, language, pattern: "file", prefix: "capstan", into }),
    );
    const review = value(await api.packages.review({ source: folder }));
    console.log(`${review.kind} ${review.name}: ${review.tools.map((tool) => tool.name).join(", ")}`);
    const installed = value(await api.packages.install({ source: folder, yes: true, sha256: review.sha256 }));

    const session = value(await api.sessions.create());
    value(await api.files.write(session.id, "/notes.txt", "one two three\n"));
    const tool = review.tools.find((each) => each.name.endsWith("stats"))?.name ?? "";
    const answer = await api.capabilities.runTool(name, tool, {
      input: { file_path: "/notes.txt" },
      session_id: session.id,
    });
    console.log(`${tool}: ${JSON.stringify(value(answer))}`);
    value(await api.packages.uninstall(installed.name));
  }
});
rmSync(into, { recursive: true, force: true });
