/**
 * capstan wrap: turns any program into a capability. It shows the actions and parameters found in its
 * `--help`, writes them as an editable package, and installs that like any other.
 */
import { mkdir, stat, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { WrapProposal } from "@capstan/client";
import { PackageWrap } from "@capstan/client/wire";
import { fail, ok, type Result, readManifest } from "@capstan/core";
import { type Parameter, readParameter } from "@capstan/core/internal";
import type { Command, CommandContext } from "../command.ts";
import { requestBody } from "../request-body.ts";
import { installFolder, saysYes } from "./install.ts";

export const wrap: Command = {
  usage:
    "capstan wrap <npm package | program> [--name id] [--command name] [--into folder] [--yes] [--no-install]",
  summary:
    "Reads a program's --help in isolation, proposes actions and parameters, writes an editable package and installs it.",
  options: {
    name: { type: "string" },
    command: { type: "string" },
    into: { type: "string" },
    yes: { type: "boolean" },
    "no-install": { type: "boolean" },
  },
  examples: ["capstan wrap jq", "capstan wrap npm:semver --yes", "capstan wrap pandoc --into ./capabilities"],
  async run(context) {
    const { args, options } = context;
    const [source] = args;
    if (source === undefined || args.length > 1)
      return fail("command_invalid", { message: "one npm package or program is needed", usage: wrap.usage });
    const { name, command } = options;
    const request = requestBody(PackageWrap, { source, name, command }, wrap.usage);
    if (!request.ok) return request;
    if (!(await agrees(context, `Run ${source} --help once, isolated, without network? [y/N] `)))
      return nothing("Nothing was run.");
    const api = await context.server();
    const proposed = await api.packages.wrap(request.value);
    if (!proposed.ok) return proposed;
    if (!context.json) context.terminal.out(proposalText(proposed.value));
    const folder = resolve(typeof options.into === "string" ? options.into : ".", proposed.value.package);
    if (!(await agrees(context, `Write it to ${folder}? [y/N] `))) return nothing("Nothing was written.");
    const written = await writeProposal(folder, proposed.value);
    if (!written.ok) return written;
    if (options["no-install"])
      return context.print(
        { folder, ...proposed.value },
        `Wrote ${folder}. Edit its manifest.json, then: capstan install ${folder}\n`,
      );
    return installFolder(folder, context, api);
  },
};

const nothing = (message: string) => fail("conflict", { message, nextStep: "Answer with y, or pass --yes." });

const agrees = async (context: CommandContext, question: string): Promise<boolean> =>
  context.options.yes === true || saysYes(context, question);

/** Never overwrites an existing folder: its manifest may have been edited. */
async function writeProposal(folder: string, { files }: WrapProposal): Promise<Result<true>> {
  if (await stat(folder).catch(() => undefined)) return fail("folder_exists", { folder });
  await mkdir(folder, { recursive: true });
  for (const { path, text } of files) await writeFile(join(folder, path), text);
  return ok(true);
}

function proposalText({ package: name, version, origin, manifest, notes }: WrapProposal): string {
  const read = readManifest(manifest);
  const actions = read.ok ? read.value.actions : [];
  const lines = actions.flatMap(({ name: action, description, risk, parameters }) => [
    `  ${action}${risk ? ` (${risk})` : ""}: ${firstSentence(description)}`,
    ...parameters.map((each) => `      ${parameterText(readParameter(each))}`),
  ]);
  const left = notes.map((note) => `  note: ${note}`);
  return `${name} ${version}, from ${origin}\n${[...lines, ...left].join("\n")}\n`;
}

function parameterText({ key, flag, value, required, repeatable, stdin, choices }: Parameter): string {
  const spelling = stdin ? "standard input" : (flag ?? "argument");
  const type = choices ? choices.join("|") : value;
  return `${key}: ${type}${repeatable ? "..." : ""}, ${spelling}${required ? ", needed" : ""}`;
}

const firstSentence = (text: string): string => (/^.*?[.!?](?=\s|$)/s.exec(text)?.[0] ?? text).slice(0, 200);
