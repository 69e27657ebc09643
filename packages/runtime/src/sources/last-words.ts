/** What a program printed before it exited, for the message that says why it cannot be reached. */
const LINES = 5;
/** npx announces its newer versions there, after the program's own words. */
const ABOUT_NPM = /^npm (?:notice|warn)\b/i;

export function lastWords(stderr: string): string {
  const lines = stderr
    .trim()
    .split("\n")
    .filter((line) => line.trim() !== "");
  const own = lines.filter((line) => !ABOUT_NPM.test(line));
  return (own.length > 0 ? own : lines).slice(-LINES).join("\n");
}

/** "npx @acme/server@1.2.0": a program that fetches another is called by what it fetches, too. */
export function serverLabel(command: string, args: readonly string[] = []): string {
  const fetched = /^(?:npx|uvx|bunx|pnpx|pipx)$/.test(command)
    ? args.find((arg) => !arg.startsWith("-") && !/^(?:run|dlx|exec)$/.test(arg))
    : undefined;
  return [command, fetched].filter(Boolean).join(" ");
}
