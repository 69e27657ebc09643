/**
 * The size of an installed server in megabytes and packages, compared with Mastra's with Postgres, memory
 * and its own server. Counted on disk, from the manifests, as npm resolves them; nothing is installed.
 */
import { existsSync, lstatSync, readdirSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { freshBuild } from "../fresh-build.ts";
import { figure, report, versionOf } from "../result.ts";

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { optional?: boolean }>>;
}

const manifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));

const root = join(import.meta.dirname, "../..");
const bench = join(import.meta.dirname, "..");
const built = freshBuild();
const published = (name: string) => join(built, name);

/** As Node finds it: in the folder's own node_modules, else in one above; of ours what is published. */
function resolved(from: string, name: string): string | undefined {
  if (name.startsWith("@capstan/")) return published(name.slice("@capstan/".length));
  for (let folder = from; ; folder = dirname(folder)) {
    const candidate = join(folder, "node_modules", name);
    if (existsSync(join(candidate, "package.json"))) return realpathSync(candidate);
    if (dirname(folder) === folder) return undefined;
  }
}

/** What npm installs for it: dependencies and peers that are not optional. */
function needed(manifest: Manifest): string[] {
  const {
    dependencies = {},
    optionalDependencies = {},
    peerDependencies = {},
    peerDependenciesMeta = {},
  } = manifest;
  const peers = Object.keys(peerDependencies).filter((name) => !peerDependenciesMeta[name]?.optional);
  return [...Object.keys(dependencies), ...peers].filter((name) => !(name in optionalDependencies));
}

function closure(roots: readonly string[]): Map<string, string> {
  const found = new Map<string, string>();
  const waiting = [...roots];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    const manifest = manifestOf(folder);
    const key = `${manifest.name}@${manifest.version}`;
    if (found.has(key)) continue;
    found.set(key, folder);
    for (const name of needed(manifest)) {
      const next = resolved(folder, name);
      if (next !== undefined) waiting.push(next);
    }
  }
  return found;
}

/** Its own files; its node_modules are counted as separate packages. */
function bytesIn(folder: string): number {
  let bytes = 0;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.name === "node_modules") continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) bytes += bytesIn(path);
    else bytes += lstatSync(path).size;
  }
  return bytes;
}

interface Weighed {
  readonly packages: number;
  readonly mb: number;
  readonly heaviest: readonly { readonly name: string; readonly mb: number }[];
}

function weigh(folders: ReadonlyMap<string, string>): Weighed {
  const sizes = [...folders].map(([name, folder]) => ({ name, mb: bytesIn(folder) / 1e6 }));
  sizes.sort((a, b) => b.mb - a.mb);
  return {
    packages: sizes.length,
    mb: sizes.reduce((sum, { mb }) => sum + mb, 0),
    heaviest: sizes.slice(0, 8),
  };
}

const peerRoots = [
  "@mastra/core",
  "@mastra/pg",
  "@mastra/memory",
  "@mastra/hono",
  "hono",
  "@hono/node-server",
];
const EMBEDDED = "@electric-sql/pglite";
const optionalNames = Object.keys(manifestOf(published("server")).optionalDependencies ?? {});
const folderOf = (name: string) => resolved(join(root, "packages/runtime"), name) ?? [];
const embedded = [folderOf(EMBEDDED)].flat();
const bare = weigh(closure([published("server")]));
/** What `npm install` gives, without the sandbox's languages: the tokenizer's table is in the bundle. */
const whole = closure([published("server"), ...embedded]);
const own = weigh(whole);
const command = weigh(closure([published("server"), published("cli"), ...embedded]));
const optional = closure(optionalNames.filter((name) => name !== EMBEDDED).flatMap(folderOf));
for (const name of whole.keys()) optional.delete(name);
const everything = weigh(new Map([...whole, ...optional]));
const extras = weigh(optional);
const mastra = weigh(closure(peerRoots.flatMap((name) => resolved(bench, name) ?? [])));
const langgraph = weigh(
  closure(
    ["@langchain/langgraph", "@langchain/langgraph-checkpoint-postgres", "@langchain/openai", "hono"].flatMap(
      (name) => resolved(bench, name) ?? [],
    ),
  ),
);
const [, inBundle] =
  /^(\d+) packages/m.exec(readFileSync(join(published("server"), "THIRD-PARTY.md"), "utf8")) ?? [];
const row = (name: string, { mb, packages, heaviest }: Weighed) => ({
  "": name,
  MB: figure(mb),
  packages,
  heaviest: heaviest
    .slice(0, 5)
    .map((each) => `${each.name} ${figure(each.mb)}`)
    .join(", "),
});
report({
  name: "install",
  question: "How large is an install?",
  method: `The published server package (\`npm run build\`) with all its dependencies, its own code, source maps and the studio, as npm installs it on disk; peers likewise. The bundle holds what is used of ${inBundle} packages, the studio's included, which are therefore not installed. The embedded store is an optional package but counted, because a plain \`npm install\` includes it; the exact tokenizer is in the bundle. The sandbox's languages (JavaScript, Python, bash) are optional too and listed separately. The bundled Node is a development dependency of the repository and not part of the server.`,
  goals: [
    {
      what: "megabytes vs Mastra + pg, embedded store and tokenizer included",
      value: own.mb / mastra.mb,
      atMost: 0.6,
      unit: "x",
    },
    { what: "packages vs Mastra + pg", value: own.packages / mastra.packages, atMost: 0.6, unit: "x" },
  ],
  tables: [
    {
      title: "Production dependencies",
      rows: [
        row("Capstan server with the embedded store and the exact tokenizer", own),
        row("with the command line too", command),
        row("on Postgres only (`npm install --omit=optional`)", bare),
        row("the sandbox's languages (optional), beside it", extras),
        row("everything, as a plain `npm install` brings it", everything),
        row("Mastra + pg, memory, server", mastra),
        row("LangGraph + PostgresSaver, OpenAI, Hono", langgraph),
      ],
    },
  ],
  plots: [
    {
      title: "Installed size",
      unit: "MB",
      bars: [
        { label: "Capstan with its store", value: own.mb },
        { label: "Mastra + pg", value: mastra.mb },
        { label: "LangGraph + PostgresSaver", value: langgraph.mb },
      ],
    },
  ],
  versions: { "@mastra/core": versionOf("@mastra/core"), "@mastra/pg": versionOf("@mastra/pg") },
});
