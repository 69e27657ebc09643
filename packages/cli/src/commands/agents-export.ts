/** capstan agents export: agents as files for `capstan apply`, or one of them described for other programs. */
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Agent, Api } from "@capstan/client";
import { type AgentFile, agentFile } from "@capstan/client/wire";
import { fail, ok, type Result } from "@capstan/core";
import { stringify } from "yaml";
import { FORMS, slug, type WrittenForm } from "../agents/describe-agent.ts";
import { agentNamed } from "../agents/find-agent.ts";
import type { CommandContext } from "../command.ts";

export const EXPORT_USAGE =
  "capstan agents export [<id or name>] [--as yaml|ts|skill|agents-md|mcp-json] [--out <folder>]";

const FILES: Readonly<Record<string, { ending: string; write: (file: AgentFile) => string }>> = {
  yaml: { ending: "yaml", write: (file) => stringify(file, { lineWidth: 0 }) },
  ts: {
    ending: "ts",
    write: (file) =>
      `import { defineAgent } from "@capstan/client";\n\nexport default defineAgent(${JSON.stringify(file, null, 2)});\n`,
  },
};

export async function exportAgents(context: CommandContext, wanted: string | undefined) {
  const api = await context.server();
  const form = typeof context.options.as === "string" ? context.options.as : "yaml";
  const all = await api.agents.all();
  if (!all.ok) return all;
  const one = wanted === undefined ? undefined : agentNamed(all.value, wanted);
  if (one && !one.ok) return one;
  const made = await writeForms(form, {
    agents: one ? [one.value] : all.value,
    all: all.value,
    api,
  });
  return made.ok ? put(context, made.value) : made;
}

interface Exporting {
  readonly agents: readonly Agent[];
  readonly all: readonly Agent[];
  readonly api: Api;
}

async function writeForms(form: string, { agents, all, api }: Exporting): Promise<Result<WrittenForm[]>> {
  const file = FILES[form];
  if (file) {
    const names = unique(all.map(({ name }) => name));
    const nameOf = (id: string) => all.find((agent) => agent.id === id && names.has(agent.name))?.name;
    return ok(
      agents.map((agent) => ({
        path: `${names.has(agent.name) ? slug(agent) : `${slug(agent)}-${agent.id.slice(-12)}`}.${file.ending}`,
        text: file.write(agentFile(agent, nameOf)),
      })),
    );
  }
  const describe = FORMS[form];
  const [agent] = agents;
  if (!describe || !agent || agents.length > 1)
    return fail("command_invalid", {
      message: describe ? `--as ${form} describes one agent: name it` : `"${form}" is not a form`,
      usage: EXPORT_USAGE,
    });
  const preview = await api.agents.preview(agent.id);
  return preview.ok ? ok([describe({ agent, preview: preview.value, serverUrl: api.url })]) : preview;
}

/** To the terminal as one text that `apply` also reads, or as one file each. */
async function put({ options, print }: CommandContext, forms: readonly WrittenForm[]) {
  if (typeof options.out !== "string") return print(forms, () => forms.map(({ text }) => text).join("---\n"));
  const paths: string[] = [];
  for (const { path, text } of forms) {
    const target = join(options.out, path);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, text);
    paths.push(target);
  }
  return print({ written: paths }, () => paths.map((path) => `${path}\n`).join(""));
}

const unique = (names: readonly string[]): Set<string> =>
  new Set(names.filter((name) => names.indexOf(name) === names.lastIndexOf(name)));
