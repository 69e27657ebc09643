/** `capstan`. `--version` is answered before anything else is loaded. */
import { VERSION } from "./version.ts";

if (process.argv[2] === "--version" || process.argv[2] === "-v") {
  process.stdout.write(`${VERSION}\n`);
} else {
  const [{ runCommand }, { openTerminal }, { reachServer }] = await Promise.all([
    import("./run-command.ts"),
    import("./terminal.ts"),
    import("./local-server.ts"),
  ]);
  const terminal = openTerminal(process.stdin, process.stdout, process.stderr);
  const environment = process.env;
  process.exitCode = await runCommand(process.argv.slice(2), {
    terminal,
    environment,
    server: () => reachServer({ environment, say: terminal.err }),
  });
}
