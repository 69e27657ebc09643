/** Command parts shared by several CLIs. */
import type {
  McpServerConfig,
  PlacedAttachment,
  RunFile,
  RunOptions,
  RunPlace,
} from "@capstan/core/internal";
import { textOf } from "../files/text-of-bytes.ts";
import type { JsonObject } from "../lines/json-line.ts";

/** Arguments, and the files they name. */
export interface CommandPart {
  readonly argv: readonly string[];
  readonly files: readonly RunFile[];
}

/** A flag with its value, or nothing. */
export const flag = (name: string, value: string | number | undefined): string[] =>
  value === undefined ? [] : [name, String(value)];

/** A prompt that some programs treat as one of their own commands instead of a message to the model. */
export const isCommand = (prompt: string): boolean => /^\s*\//.test(prompt);

export const isImageFile = ({ mimeType }: PlacedAttachment): boolean => mimeType.startsWith("image/");

/** For a CLI without instructions: they precede the prompt. */
export const withInstructions = ({ prompt, systemPrompt }: RunOptions): string =>
  systemPrompt === undefined ? prompt : `<instructions>\n${systemPrompt}\n</instructions>\n\n${prompt}`;

/** The form that Claude, Gemini and Copilot share: servers by name. */
export function mcpServersByName(servers: readonly McpServerConfig[]): JsonObject {
  return Object.fromEntries(
    servers.map((server) => [
      server.name,
      "url" in server
        ? { type: "http", url: server.url, headers: server.headers ?? {} }
        : { type: "stdio", command: server.command, args: server.args ?? [], env: server.env ?? {} },
    ]),
  );
}

/** A skill is a folder; its SKILL.md stands for the folder. */
export const skillFolder = (path: string): string => path.replace(/\/SKILL\.md$/i, "");

export const skillName = (path: string): string =>
  skillFolder(path).split("/").filter(Boolean).at(-1) ?? "skill";

/** Links to skills, each under its own name, in a folder that the CLI is pointed at. */
export const skillLinks = (skills: readonly string[] = [], folder: string): RunFile[] =>
  skills.map((path) => ({ path: `${folder}/${skillName(path)}`, linkTo: skillFolder(path) }));

/** The skills of a run as a plugin of the form that Claude Code and omp take. */
export function skillPlugin({ skills = [] }: RunOptions, { folder }: RunPlace): CommandPart {
  if (skills.length === 0) return { argv: [], files: [] };
  const plugin = `${folder}/plugin`;
  const manifest = { name: "run-skills", version: "1.0.0", description: "The skills of this run." };
  return {
    argv: ["--plugin-dir", plugin],
    files: [
      { path: `${plugin}/.claude-plugin/plugin.json`, content: JSON.stringify(manifest) },
      ...skillLinks(skills, `${plugin}/skills`),
    ],
  };
}

export const jsonFile = (
  place: RunPlace,
  name: string,
  document: unknown,
): { file: RunFile; path: string } => {
  const path = `${place.folder}/${name}`;
  return { path, file: { path, content: JSON.stringify(document, null, 2) } };
};

/** Merges documents, objects by their keys. */
export function mergeDocuments(...documents: readonly (JsonObject | null | undefined)[]): JsonObject {
  const merged: Record<string, unknown> = {};
  for (const document of documents) {
    for (const [key, value] of Object.entries(document ?? {})) {
      const before = merged[key];
      merged[key] = isObject(before) && isObject(value) ? mergeDocuments(before, value) : value;
    }
  }
  return merged;
}

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const MOST_INLINE_BYTES = 200_000; // about 50k tokens; a longer file is left to the program's tools

/** A file's path, with its text where it has one: a program whose tools are off, or that must ask, could not read it. */
export function fileText({ path, data }: PlacedAttachment): string {
  const bytes = Buffer.from(data, "base64");
  const text = bytes.length > MOST_INLINE_BYTES ? undefined : textOf(bytes);
  return text === undefined ? `Attached file: ${path}` : `Attached file: ${path}\n\n${text}`;
}

/** The prompt followed by the files, for a CLI that only takes text. */
export const withFileTexts = (prompt: string, files: readonly PlacedAttachment[]): string =>
  [prompt, ...files.map(fileText)].join("\n\n");

/** Other files than images, for a CLI that takes no files: their paths, to be read by its tools. */
export const withFilePaths = (prompt: string, files: readonly PlacedAttachment[]): string =>
  files.length === 0
    ? prompt
    : `${prompt}\n\nAttached files:\n${files.map(({ path }) => `- ${path}`).join("\n")}`;
