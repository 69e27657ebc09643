/** capstan install: shows the review, asks, installs. A package on this machine is uploaded. */
import { readFile, stat } from "node:fs/promises";
import { basename, resolve } from "node:path";
import type { Api, PackageReview, WaitingPackage } from "@capstan/client";
import { PackageInstall, PackageSource } from "@capstan/client/wire";
import { type Failure, fail, ok, type Result } from "@capstan/core";
import type { Command, CommandContext } from "../command.ts";
import { requestBody } from "../request-body.ts";
import { reviewText } from "./review-text.ts";

export const install: Command = {
  usage:
    "capstan install <wheel | tarball | npm name | folder | mcp command or URL | skill folder | openapi file> [--yes] [--link] [--grant Scope.Read] [--scan] [--force]",
  summary:
    "Reviews a package and installs it after confirmation. --scan shows packages waiting in the drop folder; --run-to-describe lets a package without a manifest run once; --link follows changes in a folder; --force updates even if agents break.",
  options: {
    yes: { type: "boolean" },
    grant: { type: "string", multiple: true },
    kind: { type: "string" },
    scan: { type: "boolean" },
    "run-to-describe": { type: "boolean" },
    "allow-scripts": { type: "boolean" },
    force: { type: "boolean" },
    link: { type: "boolean" },
  },
  examples: [
    "capstan install ./aech_cli_documents-0.1.0-py3-none-any.whl --grant Files.Read",
    "capstan install 'npx @modelcontextprotocol/server-everything' --kind mcp",
    "capstan install ./capstan-cli-weather --link",
  ],
  async run(context) {
    const api = await context.server();
    if (context.options.scan) return scan(context, api);
    const words = context.args.length > 1 ? context.args.map(quoted).join(" ") : (context.args[0] ?? "");
    if (words === "")
      return fail("command_invalid", { message: "name what to install", usage: install.usage });
    return installOne(words, context, api);
  },
};

/** A word of a command line, quoted again: the shell has removed its quotes, and the server splits the line again. */
const quoted = (word: string): string =>
  /[\s"'\\]/.test(word) ? `'${word.replaceAll("'", "'\\''")}'` : word;

/** A file with several servers is installed one by one, each with its own review. */
async function installOne(words: string, context: CommandContext, api: Api): ReturnType<Command["run"]> {
  const source = await sourceBody(words, context);
  if (!source.ok) return source;
  const reviewed = await describedReview(source.value, context, api);
  if (!reviewed.ok) {
    const several = words.endsWith(".json") ? insideOf(reviewed.failure) : [];
    return several.length > 0 ? installEach(words, several, context, api) : reviewed;
  }
  return installReviewed(reviewed.value, context, api);
}

async function installReviewed(
  { body, review }: { readonly body: PackageSource; readonly review: PackageReview },
  context: CommandContext,
  api: Api,
): ReturnType<Command["run"]> {
  if (context.options.link && !context.json) context.terminal.out(LINK_NOTE);
  if (!context.options.yes && !(await saysYes(context, "Install it? [y/N] ")))
    return fail("conflict", {
      message: "Nothing was installed.",
      nextStep: "Answer the review with yes, or pass --yes.",
    });
  const { grant, link, "allow-scripts": allow_scripts } = context.options;
  const { sha256, dependencies_sha256 } = review;
  const asked = { ...body, yes: true, sha256, dependencies_sha256, grant, link, allow_scripts };
  const request = requestBody(PackageInstall, asked, install.usage);
  if (!request.ok) return request;
  const installed = await api.packages.install(request.value, { force: context.options.force === true });
  if (!installed.ok) return installed;
  const { name, version, linked, origin, broken = [] } = installed.value;
  const where = linked ? `, linked to ${origin}` : "";
  const notes = broken.map(({ name: agent, why }) => `the agent ${agent} is broken: ${why}\n`).join("");
  return context.print(installed.value, `Installed ${name} ${version}${where}\n${notes}`);
}

const LINK_NOTE =
  "  linked   later changes in this folder are installed without a review, unless they ask for more rights or other dependencies\n";

/** The MCP servers in a file, by name. */
function insideOf({ code, details }: Failure): string[] {
  if (code !== "package_source_several") return [];
  const { inside } = details as { inside: string[] };
  return inside.map((each) => each.split("#").at(-1) ?? each);
}

async function installEach(
  words: string,
  names: readonly string[],
  context: CommandContext,
  api: Api,
): ReturnType<Command["run"]> {
  const failures: { name: string; why: string }[] = [];
  for (const name of names) {
    const done = await installOne(`${words}#${name}`, context, api);
    if (done === 0) continue;
    if (typeof done === "number") return done;
    failures.push({ name, why: `${name}: ${done.failure.message}` });
  }
  const [first] = failures;
  if (!first) return 0;
  return fail("conflict", {
    message: `${failures.length} of ${names.length} servers were not installed. ${failures.map(({ why }) => why).join(" ")}`,
    nextStep: `Install one again by its name, such as ${words}#${first.name}. The others are installed.`,
  });
}

/**
 * Prints the review. A package without a manifest can only be described by running it, which requires a separate confirmation:
 * `--yes` accepts a review, and here there is none yet.
 */
async function describedReview(
  source: PackageSource,
  context: CommandContext,
  api: Api,
): Promise<Result<{ body: PackageSource; review: PackageReview }>> {
  const review = async (body: PackageSource) => {
    const answer = await api.packages.review(body);
    if (answer.ok && !context.json) context.terminal.out(reviewText(answer.value));
    return answer;
  };
  const first = await review(source);
  if (!first.ok) return first;
  if (!first.value.must_run_code) return ok({ body: source, review: first.value });
  if (!(await saysYes(context, "Run it once, isolated, to let it describe itself? [y/N] ")))
    return fail("package_must_run_code", { name: first.value.name });
  const body = { ...source, run_to_describe: true };
  const second = await review(body);
  return second.ok ? ok({ body, review: second.value }) : second;
}

/** A folder that this command line has just written, installed as a person would. */
export async function installFolder(
  folder: string,
  context: CommandContext,
  api: Api,
): ReturnType<Command["run"]> {
  return installOne(folder, context, api);
}

export async function saysYes({ terminal }: CommandContext, question: string): Promise<boolean> {
  return (await terminal.ask(question))?.trim().toLowerCase() === "y";
}

/** A local file is uploaded; a folder or a name is read by the server. */
async function sourceBody(words: string, { options }: CommandContext): Promise<Result<PackageSource>> {
  const [file = words, chosen] = /\.(ya?ml|json)#[^#]+$/i.test(words) ? words.split("#") : [words];
  const found = await stat(file).catch(() => undefined);
  const name = chosen === undefined ? basename(file) : `${basename(file)}#${chosen}`;
  const asked = {
    source: found?.isFile() ? name : found?.isDirectory() ? resolve(words) : words,
    kind: options.kind,
    bytes: found?.isFile() ? (await readFile(file)).toString("base64") : undefined,
    run_to_describe: options["run-to-describe"],
  };
  return requestBody(PackageSource, asked, install.usage);
}

async function scan({ print }: CommandContext, api: Api) {
  const listed = await api.packages.list();
  if (!listed.ok) return listed;
  return print(listed.value.waiting, () => waitingText(listed.value.waiting));
}

function waitingText(waiting: readonly WaitingPackage[]): string {
  if (waiting.length === 0) return "No packages are waiting for review.\n";
  const shown = waiting.map(({ path, review, failure }) =>
    review ? reviewText(review) : `${path}\n  ${failure?.message} ${failure?.nextStep}\n`,
  );
  const paths = waiting.flatMap(({ path, review }) => (review ? [`  capstan install ${path}\n`] : []));
  return `${shown.join("")}${paths.length > 0 ? `\nInstall one by its path:\n${paths.join("")}` : ""}`;
}
