/** capstan new and capstan pack: a working project, and the archive that installs it. Neither needs a server. */
import { fail } from "@capstan/core";
import { whatIsWrong } from "@capstan/core/internal";
import { z } from "zod";
import type { Command } from "../command.ts";
import { pack as packProject } from "../new/pack.ts";
import { scaffold } from "../new/scaffold.ts";

const CHOICES = z.object({
  language: z.enum(["typescript", "python"]).default("typescript"),
  pattern: z.enum(["file", "api"]).default("file"),
  prefix: z.enum(["capstan", "aech"]).default("capstan"),
  into: z.string().default("."),
});

export const newProject: Command = {
  usage:
    "capstan new cli <name> | capstan new rt <name> [--pattern file|api] [--language typescript|python] [--prefix capstan|aech]",
  summary: "Writes a working capability project: a command, or a background service with its command.",
  options: {
    pattern: { type: "string" },
    language: { type: "string" },
    prefix: { type: "string" },
    into: { type: "string" },
  },
  examples: ["capstan new cli weather --language python", "capstan new rt inbox --pattern file"],
  async run({ args: [type, name], options, json, terminal }) {
    if ((type !== "cli" && type !== "rt") || name === undefined)
      return fail("command_invalid", {
        message: "a type (cli or rt) and a name are needed",
        usage: newProject.usage,
      });
    const choices = CHOICES.safeParse(options);
    if (!choices.success)
      return fail("command_invalid", { message: whatIsWrong(choices.error), usage: newProject.usage });
    const made = await scaffold({ type, name, ...choices.data });
    if (!made.ok) return made;
    const { folder, files, next } = made.value;
    terminal.out(
      json
        ? `${JSON.stringify(made.value, null, 2)}\n`
        : `Made ${folder} with ${files.length} files. Next:\n${next.map((line) => `  ${line}\n`).join("")}`,
    );
    return 0;
  },
};

export const pack: Command = {
  usage: "capstan pack [folder] [--into folder]",
  summary: "Builds a wheel or npm tarball of a project, without PyPI.",
  options: { into: { type: "string" } },
  async run({ args: [folder = "."], options, json, terminal }) {
    const packed = await packProject(folder, typeof options.into === "string" ? options.into : ".");
    if (!packed.ok) return packed;
    terminal.out(json ? `${JSON.stringify({ path: packed.value.path })}\n` : `${packed.value.path}\n`);
    return 0;
  },
};
