/**
 * Proposes a manifest from a command's help. A person reads and edits it before it is installed, and
 * `notes` list what was left out. Actions of a command without subcommands are called `run` and pass no subcommand.
 */
import type { Manifest, ManifestAction } from "../manifest.ts";
import { flagOf, proposeOption, proposePositional } from "./propose-parameter.ts";
import type { CommandHelp } from "./read-help.ts";
import { riskOfWord } from "./risk-of-word.ts";

/** A model reads every parameter with every call: forty options are about 2,000 tokens. */
const MAX_PARAMETERS = 40;
const MAX_DESCRIPTION_CHARS = 600;
/** Options about the command itself are not part of a task. */
const ABOUT_ITSELF = /^-{1,2}(help|version|h|V|\?|usage|license|completions?)$/;
const LAST_SECTIONS = /help|information|deprecat|debug|internal|experimental|advanced/;

export interface WrappedCommand {
  /** The capability's id. */
  readonly name: string;
  /** The command of the wrapping package, `capstan-cli-*`. */
  readonly command: string;
  /** How people call the program. */
  readonly program: string;
  readonly version: string;
  readonly description?: string | undefined;
  readonly keywords?: readonly string[] | undefined;
  readonly help: CommandHelp;
  /** The help of each subcommand, in the order in which the command lists them. */
  readonly subcommands: readonly {
    readonly name: string;
    readonly about: string;
    readonly help?: CommandHelp;
  }[];
}

export interface ManifestProposal {
  readonly manifest: Manifest;
  readonly notes: readonly string[];
}

export function proposeManifest(wrapped: WrappedCommand): ManifestProposal {
  const { name, command, program, version, help, subcommands } = wrapped;
  const notes: string[] = [];
  const about = (wrapped.description || help.about || `Runs ${program}.`).slice(0, MAX_DESCRIPTION_CHARS);
  const actions =
    subcommands.length > 0
      ? subcommands.map((each) => subcommandAction(each, notes))
      : [plainAction(about, wrapped, notes)];
  const documentation = {
    ...(help.usage.length > 0 && { usage: `${program}: ${about}\n${help.usage.join("\n")}`.slice(0, 4000) }),
    ...(help.examples.length > 0 && { examples: [...help.examples] }),
  };
  const manifest: Manifest = {
    name,
    type: "cli",
    command,
    description: about,
    version,
    triggers: [`run ${program}`, `use ${program}`],
    tags: [...new Set([program, name])],
    ...(wrapped.keywords && wrapped.keywords.length > 0 && { keywords: wrapped.keywords.slice(0, 30) }),
    ...(Object.keys(documentation).length > 0 && { documentation }),
    actions,
  };
  return { manifest, notes };
}

function plainAction(about: string, { program, help }: WrappedCommand, notes: string[]): ManifestAction {
  return {
    name: "run",
    fixed_arguments: [],
    description: `${about}${about.endsWith(".") ? "" : "."} Runs ${usageText(help) ?? program}.`.slice(
      0,
      2000,
    ),
    ...(help.exitCodes && { exit_codes: { ...help.exitCodes } }),
    parameters: parametersOf(help, "run", notes),
  };
}

function subcommandAction(
  { name, about, help }: WrappedCommand["subcommands"][number],
  notes: string[],
): ManifestAction {
  const risk = riskOfWord(name);
  if (!help) notes.push(`${name} printed no help of its own: it takes plain arguments.`);
  return {
    name,
    description: (about || help?.about || name).slice(0, MAX_DESCRIPTION_CHARS),
    ...(risk && { risk }),
    parameters: help ? parametersOf(help, name, notes) : [ANY_ARGUMENTS],
  };
}

const ANY_ARGUMENTS = {
  name: "arguments",
  type: "argument" as const,
  required: false,
  multiple: true,
  description: "Plain arguments, in their order.",
};

const usageText = ({ usage }: CommandHelp): string | undefined => usage[0]?.slice(0, 300);

function parametersOf(help: CommandHelp, action: string, notes: string[]): ManifestAction["parameters"] {
  const positionals = help.positionals.map((each) => describedBy(proposePositional(each), help));
  const taken = new Set(positionals.map(({ name }) => keyOf(name)));
  const said = help.options.filter((each) => !each.flags.some((flag) => ABOUT_ITSELF.test(flag)));
  const possible = said.flatMap((option) => {
    const parameter = proposeOption(option, help.hasTypeNotes);
    if (!parameter) notes.push(`${action}: ${flagOf(option)} was left out, a manifest cannot say it.`);
    if (!parameter || taken.has(keyOf(parameter.name))) return [];
    taken.add(keyOf(parameter.name));
    return [{ parameter, isLast: LAST_SECTIONS.test(option.section) }];
  });
  const room = MAX_PARAMETERS - positionals.length - 1;
  const ranked = [...possible.filter(({ isLast }) => !isLast), ...possible.filter(({ isLast }) => isLast)];
  const kept = new Set(ranked.slice(0, room));
  if (ranked.length > room)
    notes.push(`${action}: ${ranked.length - room} more options were left out; add those you need.`);
  const isUnclear = help.usage.length === 0 || help.isUnclear;
  const none = positionals.length === 0 && isUnclear ? [ANY_ARGUMENTS] : [];
  return [
    ...inputOf(help, taken),
    ...positionals,
    ...none,
    ...possible.filter((each) => kept.has(each)).map(({ parameter }) => parameter),
  ];
}

/** `svgo [INPUT...]` beside `--input <INPUT...>  Input files`: the option says what the argument is. */
function describedBy<T extends { name: string; type?: string | undefined }>(
  positional: T,
  help: CommandHelp,
): T {
  const twin = help.options.find((option) => keyOf(flagOf(option)) === keyOf(positional.name));
  if (!twin || twin.description === "") return positional;
  const isPath =
    positional.type === "argument" && /^(?:the |an? )?(?:\w+ )?(?:files?|paths?)\b/i.test(twin.description);
  return { ...positional, description: twin.description.slice(0, 400), ...(isPath && { type: "path" }) };
}

/** Text on standard input: where the help says so, and where files may be left out. */
function inputOf({ readsStdin, positionals }: CommandHelp, taken: ReadonlySet<string>) {
  const filesAreOptional = positionals.some(({ name, required }) => !required && /file|path/.test(name));
  if ((!readsStdin && !filesAreOptional) || taken.has("stdin")) return [];
  return [
    { name: "stdin", type: "stdin" as const, description: "Text for its standard input, instead of a file." },
  ];
}

const keyOf = (name: string) => name.replace(/^-+/, "").replaceAll(/[.-]/g, "_");
