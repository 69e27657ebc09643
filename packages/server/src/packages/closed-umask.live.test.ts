import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type ServerProcess, spawnServer } from "../../../../tools/server-process.ts";
import { freshPglite } from "../../../../tools/stores-under-test.ts";
import { pack } from "../../../cli/src/new/pack.ts";
import { scaffold } from "../../../cli/src/new/scaffold.ts";

test.skipIf(process.getuid?.() !== 0)(
  "a server whose umask closes its files to others installs packages, reads programs to wrap, and runs them as other users",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "capstan-umask-"));
    const server = await serverUnder("077");
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const source = { source: "capstan-cli-weather-0.1.0.tgz", bytes: await npmPackage(folder) };
    const installed = await server.call("POST", "/v1/packages", { ...source, yes: true });
    expect(installed).toMatchObject({ status: 201 });
    const { capability } = installed.body.description;
    const agent = await server.call("POST", "/v1/agents", { name: "Counter", capabilities: [capability] });
    const session = await server.call("POST", "/v1/sessions", { agent_id: agent.body.id });
    const run = (tool: string, input: object) =>
      server.call("POST", `/v1/capabilities/${capability}/tools/${tool}`, {
        input,
        session_id: session.body.id,
        agent_id: agent.body.id,
      });
    const saved = await run("weather_save", { file_path: "/log.txt", text: "wind from the west" });
    expect(saved).toMatchObject({ status: 200 });
    expect((await run("weather_stats", { file_path: "/log.txt" })).body.output).toMatchObject({ words: 4 });

    const wrapped = await server.call("POST", "/v1/packages/wrap", { source: "sort" });
    expect(wrapped).toMatchObject({ status: 200, body: { help: expect.stringContaining("--reverse") } });
  },
);

async function serverUnder(umask: string): Promise<ServerProcess> {
  const store = await freshPglite();
  const server = spawnServer(store, {}, undefined, undefined, (node, args) => [
    "/bin/sh",
    ["-c", `umask ${umask}; exec "$@"`, "sh", node, ...args],
  ]);
  onTestFinished(async () => {
    await server.end();
    await store.drop();
  });
  return server.ready;
}

async function npmPackage(folder: string): Promise<string> {
  const made = await scaffold({ type: "cli", name: "weather", into: folder });
  if (!made.ok) throw new Error(made.failure.message);
  const packed = await pack(made.value.folder, folder);
  if (!packed.ok) throw new Error(packed.failure.message);
  return readFileSync(packed.value.path).toString("base64");
}
