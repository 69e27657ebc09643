/** Parts of a command that several CLIs take alike. */
import type { McpServerConfig, PlacedAttachment, RunFile, RunOptions, RunPlace } from "@capstan/core";
import type { JsonObject } from "./json-line.ts";

/** A flag with its value, or nothing. */
export const flag = (name: string, value: string | number | undefined): string[] =>
  value === undefined ? [] : [name, String(value)];

export const isImageFile = ({ mimeType }: PlacedAttachment): boolean => mimeType.startsWith("image/");

/** For a CLI without a place for instructions: they stand before the prompt. */
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

/** Links to skills, each under its own name, in a folder that the CLI is pointed at. */
export const skillLinks = (skills: readonly string[] = [], folder: string): RunFile[] =>
  skills.map((linkTo) => ({ path: `${folder}/${linkTo.split("/").filter(Boolean).at(-1)}`, linkTo }));

export const jsonFile = (
  place: RunPlace,
  name: string,
  document: unknown,
): { file: RunFile; path: string } => {
  const path = `${place.folder}/${name}`;
  return { path, file: { path, content: JSON.stringify(document, null, 2) } };
};

/** Lays documents over each other, objects by their keys. */
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

/** Other files than images, for a CLI that takes no files: their paths, to be read by its tools. */
export const withFilePaths = (prompt: string, files: readonly PlacedAttachment[]): string =>
  files.length === 0
    ? prompt
    : `${prompt}\n\nAttached files:\n${files.map(({ path }) => `- ${path}`).join("\n")}`;
