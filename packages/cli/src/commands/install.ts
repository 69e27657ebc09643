/** capstan install: shows the review, asks, installs. The package may lie on this machine: its bytes are sent along. */
import { readFile, stat } from "node:fs/promises";
import { basename, resolve } from "node:path";
import type { Connection, PackageReview } from "@capstan/client";
import { fail } from "@capstan/core";
import type { Command, CommandContext } from "../command.ts";

export const install: Command = {
  usage:
    "capstan install <wheel | tarball | npm name | folder | mcp command or URL | skill folder | openapi file> [--yes] [--grant Scope.Read] [--scan]",
  summary: "Reviews a package and installs it after a yes. --scan lists what waits in the drop folder.",
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
    const body = await sourceBody(words, context);
    const reviewed = await connection.json<PackageReview>("POST", "/v1/packages/review", { json: body });
    if (!reviewed.ok) return reviewed;
    if (!context.json) context.terminal.out(reviewText(reviewed.value));
    const yes =
      context.options.yes || (await context.terminal.ask("Install it? [y/N] "))?.trim().toLowerCase() === "y";
    if (!yes)
      return fail("conflict", {
        message: "Nothing was installed.",
        nextStep: "Answer the review with yes, or pass --yes.",
      });
    const asked = {
      ...body,
      yes: true,
      sha256: reviewed.value.sha256,
      grant: context.options.grant,
      allow_scripts: context.options["allow-scripts"],
    };
    const installed = await connection.json<{ name: string; version: string }>("POST", "/v1/packages", {
      json: asked,
    });
    if (!installed.ok) return installed;
    const { name, version } = installed.value;
    context.terminal.out(
      context.json ? `${JSON.stringify(installed.value, null, 2)}\n` : `Installed ${name} ${version}\n`,
    );
    return 0;
  },
};

/** A file here is sent; a folder or a name is read by the server. */
async function sourceBody(words: string, { options }: CommandContext): Promise<Record<string, unknown>> {
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
  const listed = await connection.json<{ waiting: { name?: string; path?: string }[] }>(
    "GET",
    "/v1/packages",
  );
  if (!listed.ok) return listed;
  const { waiting } = listed.value;
  if (json) terminal.out(`${JSON.stringify(waiting, null, 2)}\n`);
  else
    terminal.out(
      waiting.length === 0
        ? "Nothing waits.\n"
        : waiting.map((item) => `${item.path ?? item.name}\n`).join(""),
    );
  return 0;
}

function reviewText(review: PackageReview): string {
  const list = (title: string, items: readonly string[]) =>
    items.length === 0 ? "" : `  ${title}: ${items.join(", ")}\n`;
  const grown = review.update?.permissions as { added?: readonly string[] } | undefined;
  return [
    `${review.name} ${review.version} (${review.kind}), ${review.size_bytes} bytes, from ${review.origin}\n`,
    `  sha256 ${review.sha256}\n`,
    list(
      "adds",
      review.tools.map(({ name }) => name),
    ),
    list("scopes", review.scopes),
    list("commands", review.commands),
    list("depends on", review.dependencies),
    list("install scripts (not run unless allowed)", review.install_scripts),
    list("not isolated here", review.not_isolated),
    review.must_run_code ? "  It must run code to describe itself: pass --run-to-describe.\n" : "",
    review.update
      ? `  replaces version ${review.update.from_version}${review.update.same_content ? ", same content" : ""}\n`
      : "",
    grown?.added?.length ? `  NEW RIGHTS: ${grown.added.join(", ")}\n` : "",
  ].join("");
}
