/**
 * A skill folder (SKILL.md, by the Agent Skills rules) as a capability: its text becomes the prompt, and its bundled files
 * can be read with one tool. The tool's name contains the skill's, so that an agent can have many skills without a conflict.
 */
import { lstat, readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { type AnyTool, type Capability, defineCapability, fail, ok, type Result } from "@capstan/core";
import { type Fault, readInput } from "@capstan/core/internal";
import { z } from "zod";
import { readPlainText } from "../files/plain-file.ts";
import { parseYaml } from "./declarative.ts";
import { legalName, semverOf } from "./openapi-names.ts";
import { readSkillFile } from "./skill-files.ts";

const SKILL_BYTES = 1_000_000;
const FILES = 1_000;
const LISTED = 50;
const ID_CHARS = 50;

const FrontMatter = z.object({
  name: z
    .string({ error: "must be text" })
    .max(64, "must have at most 64 characters")
    .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, "must be lower case letters, digits and single hyphens"),
  description: z
    .string({ error: "must be text" })
    .trim()
    .min(1, "must not be empty")
    .max(1024, "must have at most 1024 characters"),
  license: z.string().optional(),
  compatibility: z.string().max(500, "must have at most 500 characters").optional(),
  metadata: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
  "allowed-tools": z.union([z.string(), z.array(z.string())]).optional(),
});
type FrontMatter = z.output<typeof FrontMatter>;

export async function loadSkill(folder: string): Promise<Result<Capability>> {
  const text = await readSkillText(folder);
  if (!text.ok) return text;
  const parts = /^\uFEFF?---\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n([\s\S]*))?$/.exec(text.value);
  if (!parts)
    return invalid([{ path: "", message: "must start with front matter between two lines of ---" }]);
  const [, yaml = ""] = parts;
  const parsed = parseYaml(yaml);
  if (!parsed.ok) return parsed;
  const front = readInput(FrontMatter, parsed.value ?? {});
  if (!front.ok) return invalid(front.faults);
  const { name } = front.value;
  if (name !== basename(folder)) {
    return invalid([
      { path: "name", message: `is "${name}", but its folder is "${basename(folder)}"; they must be equal` },
    ]);
  }
  const files = await bundledFiles(folder);
  return files.ok ? ok(capability(folder, front.value, files.value)) : files;
}

const invalid = (faults: readonly Fault[]) =>
  fail("document_invalid", {
    faults: faults.map(({ path, message }) => ({
      path: path === "" ? "SKILL.md" : `SKILL.md ${path}`,
      message,
    })),
  });

async function readSkillText(folder: string): Promise<Result<string>> {
  try {
    const file = join(folder, "SKILL.md");
    const { size } = await lstat(file);
    if (size > SKILL_BYTES)
      return invalid([{ path: "", message: `has ${size} bytes; the limit is ${SKILL_BYTES}` }]);
    const text = await readPlainText(file, SKILL_BYTES);
    return text === undefined ? invalid([{ path: "", message: "is no plain file" }]) : ok(text);
  } catch {
    return fail("not_found", { what: "SKILL.md", id: folder });
  }
}

/** Regular files below the folder; links are left out, because they can point anywhere. */
async function bundledFiles(folder: string): Promise<Result<string[]>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name).slice(folder.length).replaceAll("\\", "/").replace(/^\/+/, ""),
    )
    .filter((path) => path !== "SKILL.md" && !path.split("/").includes("node_modules"))
    .sort();
  return files.length <= FILES
    ? ok(files)
    : invalid([{ path: "", message: `has ${files.length} files; the limit is ${FILES}` }]);
}

function capability(folder: string, front: FrontMatter, files: readonly string[]): Capability {
  const { name, description, metadata, license, compatibility } = front;
  const tool = readSkillFile({ name: legalName(`${name}_read_skill_file`), skill: name, folder, files });
  const notes = [
    license && `Licence: ${license}`,
    compatibility && `Needs: ${compatibility}`,
    front["allowed-tools"] && `Made for the tools: ${[front["allowed-tools"]].flat().join(", ")}`,
  ];
  return defineCapability({
    id:
      name.length <= ID_CHARS
        ? name
        : legalName(name)
            .slice(-ID_CHARS)
            .replace(/^[^a-z0-9]+/, ""),
    name: title(name),
    description,
    version: semverOf(metadata?.version === undefined ? undefined : String(metadata.version)),
    source: "skill",
    risk: "low",
    category: "Skills",
    systemPrompt: prompt(front, files, tool),
    tools: [tool],
    routing: { tags: name.split("-"), routable: false }, // instructions for an agent: reading them does no task
    documentation: { usage: notes.filter(Boolean).join("\n") },
  });
}

/** Only name and description, as the Agent Skills rules say: the instructions are read when a task needs them. */
function prompt(
  { name, description }: FrontMatter,
  files: readonly string[],
  { name: tool }: AnyTool,
): string {
  const more = files.length > LISTED ? `, and ${files.length - LISTED} more` : "";
  const listed = files.length > 0 ? ` Its other files: ${files.slice(0, LISTED).join(", ")}${more}.` : "";
  return `Skill ${name}: ${description}\nWhen a task fits, first read its instructions with ${tool} (SKILL.md).${listed}`;
}

const title = (name: string) =>
  name
    .split("-")
    .map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`)
    .join(" ");
