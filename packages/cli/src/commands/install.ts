/** capstan install: shows the review, asks, installs. The package may lie on this machine: its bytes are sent along. */
import { readFile, stat } from "node:fs/promises";
import { basename, resolve } from "node:path";
import type { Connection, InstalledPackage, PackageReview, WaitingPackage } from "@capstan/client";
import { fail, ok, type Result } from "@capstan/core";
import type { Command, CommandContext } from "../command.ts";
import { reviewText } from "./review-text.ts";

export const install: Command = {
  usage:
    "capstan install <wheel | tarball | npm name | folder | mcp command or URL | skill folder | openapi file> [--yes] [--grant Scope.Read] [--scan]",
  summary:
    "Reviews a package and installs it after a yes. --scan shows what waits in the drop folder; --run-to-describe lets a package without a manifest run once.",
  options: {
    yes: { type: "boolean" },
    grant: { type: "string", multiple: true },
    kind: { type: "string" },
    scan: { type: "boolean" },
    "run-to-describe": { type: "boolean" },
    "allow-scripts": { type: "boolean" },
  },
  examples: [
    "capstan install ./aech_cli_documents-0.1.0-py3-none-any.whl --grant Files.Read",
    "capstan install 'npx @modelcontextprotocol/server-everything' --kind mcp",
  ],
  async run(context) {
    const connection = await context.server();
    if (context.options.scan) return scan(context, connection);
    const words = context.args.join(" ");
    if (words === "")
      return fail("command_invalid", { message: "what to install is missing", usage: install.usage });
    const source = await sourceBody(words, context);
    const reviewed = await describedReview(source, context, connection);
    if (!reviewed.ok) return reviewed;
    const { body, review } = reviewed.value;
    if (!context.options.yes && !(await saysYes(context, "Install it? [y/N] ")))
      return fail("conflict", {
        message: "Nothing was installed.",
        nextStep: "Answer the review with yes, or pass --yes.",
      });
    const asked = {
      ...body,
      yes: true,
      sha256: review.sha256,
      dependencies_sha256: review.dependencies_sha256,
      grant: context.options.grant,
      allow_scripts: context.options["allow-scripts"],
    };
    const installed = await connection.json<InstalledPackage>("POST", "/v1/packages", { json: asked });
    if (!installed.ok) return installed;
    const { name, version } = installed.value;
    context.terminal.out(
      context.json ? `${JSON.stringify(installed.value, null, 2)}\n` : `Installed ${name} ${version}\n`,
    );
    return 0;
  },
};

type SourceBody = Record<string, unknown>;

/**
 * The review, printed. A package without a manifest can only be described by running it, which is a question of its own:
 * `--yes` answers what was read, and here nothing was read yet.
 */
async function describedReview(
  source: SourceBody,
  context: CommandContext,
  connection: Connection,
): Promise<Result<{ body: SourceBody; review: PackageReview }>> {
  const review = async (body: SourceBody) => {
    const answer = await connection.json<PackageReview>("POST", "/v1/packages/review", { json: body });
    if (answer.ok && !context.json) context.terminal.out(reviewText(answer.value));
    return answer;
  };
  const first = await review(source);
  if (!first.ok) return first;
  if (!first.value.must_run_code) return ok({ body: source, review: first.value });
  if (!(await saysYes(context, "Run it once, isolated, so that it can describe itself? [y/N] ")))
    return fail("package_must_run_code", { name: first.value.name });
  const body = { ...source, run_to_describe: true };
  const second = await review(body);
  return second.ok ? ok({ body, review: second.value }) : second;
}

async function saysYes({ terminal }: CommandContext, question: string): Promise<boolean> {
  return (await terminal.ask(question))?.trim().toLowerCase() === "y";
}

/** A file here is sent; a folder or a name is read by the server. */
async function sourceBody(words: string, { options }: CommandContext): Promise<SourceBody> {
  const found = await stat(words).catch(() => undefined);
  const kind = options.kind ?? (/\.(ya?ml|json)$/i.test(words) && found?.isFile() ? "openapi" : undefined);
  const more = {
    ...(kind !== undefined && { kind }),
    ...(options["run-to-describe"] && { run_to_describe: true }),
  };
  if (found?.isFile())
    return { source: basename(words), bytes: (await readFile(words)).toString("base64"), ...more };
  return { source: found?.isDirectory() ? resolve(words) : words, ...more };
}

async function scan({ json, terminal }: CommandContext, connection: Connection) {
  const listed = await connection.json<{ waiting: WaitingPackage[] }>("GET", "/v1/packages");
  if (!listed.ok) return listed;
  terminal.out(
    json ? `${JSON.stringify(listed.value.waiting, null, 2)}\n` : waitingText(listed.value.waiting),
  );
  return 0;
}

function waitingText(waiting: readonly WaitingPackage[]): string {
  if (waiting.length === 0) return "Nothing waits.\n";
  const shown = waiting.map(({ path, review, failure }) =>
    review ? reviewText(review) : `${path}\n  ${failure?.message} ${failure?.nextStep}\n`,
  );
  const paths = waiting.flatMap(({ path, review }) => (review ? [`  capstan install ${path}\n`] : []));
  return `${shown.join("")}${paths.length > 0 ? `\nInstall one by its path:\n${paths.join("")}` : ""}`;
}
