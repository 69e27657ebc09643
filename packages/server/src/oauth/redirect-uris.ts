/**
 * Where a client may receive its code: exactly the addresses it registered. A program on the person's machine listens on
 * a port that it learns only when it starts, so on loopback any port will do (RFC 8252).
 */

const LOOPBACK = new Set(["127.0.0.1", "localhost", "[::1]"]);
/** Schemes of desktop programs without a dot in them; the studio opens them, so what a browser would run is not among them. */
const PROGRAM_SCHEMES = new Set([
  "cursor:",
  "vscode:",
  "vscode-insiders:",
  "windsurf:",
  "zed:",
  "claude:",
  "codex:",
]);
const LONGEST = 2000;

export const isLoopbackHttp = ({ protocol, hostname }: URL): boolean =>
  protocol === "http:" && LOOPBACK.has(hostname);

/** Whether a client may register it: https, loopback, or a program's own scheme; never one that runs as a script. */
export function isUsableRedirect(text: string): boolean {
  if (text.length > LONGEST || !URL.canParse(text) || text.includes("#")) return false;
  const url = new URL(text);
  if (url.username !== "" || url.password !== "") return false;
  if (url.protocol === "https:" || isLoopbackHttp(url)) return true;
  const hasDot = /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:$/.test(url.protocol); // com.example.app:/callback
  return hasDot || PROGRAM_SCHEMES.has(url.protocol);
}

export function isRegistered(given: string, registered: readonly string[]): boolean {
  if (registered.includes(given)) return isUsableRedirect(given);
  if (!isUsableRedirect(given) || !isLoopbackHttp(new URL(given))) return false;
  return registered.some((each) => isUsableRedirect(each) && withoutPort(each) === withoutPort(given));
}

function withoutPort(text: string): string | undefined {
  const url = new URL(text);
  if (!isLoopbackHttp(url)) return undefined;
  url.port = "";
  return url.href;
}

/** Who receives the code, to show to a person: a host, this machine, or a program. */
export function receiverOf(redirectUri: string): string {
  const url = new URL(redirectUri);
  if (isLoopbackHttp(url)) return `a program on your machine (${url.host})`;
  return url.protocol === "https:" ? url.host : `the program behind ${url.protocol}//`;
}

export function withAnswer(
  redirectUri: string,
  answer: Readonly<Record<string, string | undefined>>,
): string {
  const url = new URL(redirectUri);
  for (const [name, value] of Object.entries(answer))
    if (value !== undefined) url.searchParams.set(name, value);
  return url.href;
}
