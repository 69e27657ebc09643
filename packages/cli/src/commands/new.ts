/** capstan new and capstan pack: create a working project, and build the archive that installs it. Neither needs a server. */
import { fail } from "@capstan/core";
import { z } from "zod";
import type { Command } from "../command.ts";
import { pack as packProject } from "../new/pack.ts";
import { scaffold } from "../new/scaffold.ts";
import { requestBody } from "../request-body.ts";

const CHOICES = z.strictObject({
  language: z.enum(["typescript", "python"]).default("typescript"),
  pattern: z.enum(["file", "api"]).default("file"),
  prefix: z.enum(["capstan", "aech"]).default("capstan"),
  into: z.string().default("."),
  description: z.string().min(1).max(500).optional(),
});

export const newProject: Command = {
  usage:
    "capstan new cli <name> | capstan new rt <name> [--pattern file|api] [--language typescript|python] [--prefix capstan|aech] [--description text]",
  summary: "Creates a working capability project: a command, or a background service with its command.",
  options: {
    pattern: { type: "string" },
    language: { type: "string" },
    prefix: { type: "string" },
    into: { type: "string" },
    description: { type: "string" },
  },
  examples: ["capstan new cli weather --language python", "capstan new rt inbox --pattern file"],
  async run({ args: [type, name], options, print }) {
    if ((type !== "cli" && type !== "rt") || name === undefined)
      return fail("command_invalid", {
        message: "a type (cli or rt) and a name are required",
        usage: newProject.usage,
      });
    const { language, pattern, prefix, into, description } = options;
    const choices = requestBody(CHOICES, { language, pattern, prefix, into, description }, newProject.usage);
    if (!choices.ok) return choices;
    const { description: about, ...chosen } = choices.value;
    const made = await scaffold({ type, name, ...chosen, ...(about && { description: about }) });
    if (!made.ok) return made;
    const { folder, files, next } = made.value;
    return print(
      made.value,
      `Created ${folder} with ${files.length} files. Next:\n${next.map((line) => `  ${line}\n`).join("")}`,
    );
  },
};

export const pack: Command = {
  usage: "capstan pack [folder] [--into folder]",
  summary: "Builds a wheel or npm tarball of a project, without PyPI.",
  options: { into: { type: "string" } },
  async run({ args: [folder = "."], options, print }) {
    const packed = await packProject(folder, typeof options.into === "string" ? options.into : ".");
    if (!packed.ok) return packed;
    return print({ path: packed.value.path }, `${packed.value.path}\n`);
  },
};
