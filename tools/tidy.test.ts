/** The house rules that no linter knows. A rule nobody checks is advice. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** The architecture: who may import whom. A new edge is a design decision, and it is made here. */
const MAY_IMPORT: Record<string, string[]> = {
  core: [],
  client: ["core"],
  "coding-agents": ["core"],
  builtins: ["core"],
  runtime: ["core"],
  server: ["core", "client", "coding-agents", "builtins", "runtime"],
  cli: ["core", "client", "coding-agents"],
  web: ["core", "client"],
};
const PACKAGES = Object.keys(MAY_IMPORT);
/** What a package shows beside its root: core's to our own packages, the client's schemas to the server and the CLI. */
const SECOND_ENTRIES = ["@capstan/core/internal", "@capstan/client/wire", "@capstan/coding-agents/manifests"];
const MAX_LINES = 400;
const MAX_AUTHOR_NAMES = 70;
const NO_DRAWERS = /(^|\/)(utils?|helpers?|common|misc|shared)(\/|\.tsx?$)/;

const PARTICIPLE =
  /^(?!embed$)(?:[a-z]+[^e]ed|begun|broken|built|done|found|given|gone|heard|held|kept|known|left|made|met|said|sent|shown|spent|taken|told|written)(?:Up|Over|Off|On|Out|Away|In|Before|After|Again)?$/;
/** Casts through `unknown`, each with its reason; the list may only shrink. */
const CASTS_LEFT: Readonly<Record<string, string>> = {
  "packages/client/src/capstan-agent.ts":
    "the parent's type leaves out an answer that its documentation names",
};
/** Protocols that others define: their shapes live with them, in the spelling of the protocol. All others are in the wire. */
const FOREIGN_PROTOCOLS = ["a2a", "ag-ui", "ai-sdk", "mcp", "openai"];
const isForeign = (name: string) =>
  FOREIGN_PROTOCOLS.some((folder) => name.startsWith(`packages/server/src/${folder}/`));

/**
 * Phrases that made readers translate, each replaced by the usual term of the field. Keep the list short and exact: a phrase
 * that has an ordinary meaning too does not belong here.
 */
const REPLACED_PHRASES: readonly (readonly [RegExp, string])[] = [
  [/\b(?:laid|lays?) (?:\w+ )?over\b/i, "merged over, overrides"],
  [/\bbecame of\b/i, "outcome"],
  [/\bends?\b.*\bin peace\b/i, "stops cleanly"],
  [/\bis nothing that can be installed\b/i, "nothing installable found"],
  [/\basks before each call\b/i, "approval is required for every call"],
  [/\bis worth what (?:they|it|he|she|its)\b/i, "has at most the current rights of"],
  [/\bhas nothing left\b/i, "loses all access"],
  [/\bwaits? in a line\b/i, "is queued"],
  [/\borganisations? beside the first\b/i, "after the first"],
  [/\bnothing with an effect\b/i, "nothing with side effects"],
  [/\bwhat is not understood is\b/i, "name the thing that is refused"],
  [/\bAPI's words and ours\b/, "converts between the API and the code"],
  [/\b(?:is|be|are|nothing) worth (?:more|nothing)\b/, "has more rights than, is invalid"],
  [/\bto whoever has (?:it|one|a link)\b/, "anyone with the link"],
  [/\bwhom (?:an agent is|agents are) for\b/i, "who an agent is shared with"],
  [/\bkept back\b/, "held out, withheld"],
  [/\b(?:Postgres|Autovacuum) as it comes\b/, "default"],
  [/\ba home of (?:its|their) own\b/, "its own home"],
  [/\bwhat stands in the way\b/i, "what prevents it"],
  [/\b(?:what )?came of the last\b/i, "the outcome of the last"],
  [/\b(?:patiently|FrontDoor|bury|traitor)\b/, "a name without a metaphor"],
];

const sources = PACKAGES.flatMap((name) =>
  filesBelow(join(ROOT, "packages", name, "src"))
    .filter((path) => /\.tsx?$/.test(path))
    .map((path) => ({ pkg: name, path, name: relative(ROOT, path), text: readFileSync(path, "utf8") })),
);
/** Tests, what only they use, and recordings. */
const isTest = (name: string) =>
  /\.test\.tsx?$/.test(name) || /(-contract|\/test-[\w-]+)\.ts$/.test(name) || name.includes("/fixtures/");
/** The one library that is used without a server, and so has no main.ts: its default environment is the caller's own. */
const AMBIENT = "packages/coding-agents/src/runner/ambient-environment.ts";

describe("the import picture", () => {
  test.each(PACKAGES)("%s imports only what it may, and declares it", (pkg) => {
    const manifest = JSON.parse(readFileSync(join(ROOT, "packages", pkg, "package.json"), "utf8"));
    const declared = {
      ...manifest.dependencies,
      ...manifest.optionalDependencies,
      ...manifest.peerDependencies,
    };
    const allowed = new Set([...(MAY_IMPORT[pkg] ?? []), pkg].map((name) => `@capstan/${name}`));
    const faults = sources
      .filter((file) => file.pkg === pkg && !isTest(file.name))
      .flatMap((file) => importsOf(file.text).map((specifier) => ({ specifier, file: file.name })))
      .filter(({ specifier }) => !/^(\.|node:|virtual:)/.test(specifier))
      .map(({ specifier, file }) => ({ file, name: packageOf(specifier) }))
      .filter(({ name }) => (name.startsWith("@capstan/") ? !allowed.has(name) : !(name in declared)));
    expect(faults).toEqual([]);
  });

  test("core depends on zod and nothing else", () => {
    const manifest = JSON.parse(readFileSync(join(ROOT, "packages/core/package.json"), "utf8"));
    expect(Object.keys(manifest.dependencies)).toEqual(["zod"]);
  });

  test(`core's root shows authors at most ${MAX_AUTHOR_NAMES} names`, () => {
    const root = readFileSync(join(ROOT, "packages/core/src/index.ts"), "utf8");
    expect(exportedNames(root).length).toBeLessThanOrEqual(MAX_AUTHOR_NAMES);
  });

  test("core exports no name that nobody outside core uses", () => {
    const internal = readFileSync(join(ROOT, "packages/core/src/internal.ts"), "utf8");
    const outside = sources.filter(({ pkg }) => pkg !== "core").map(({ text }) => text);
    const rest = ["tools", "bench", "examples"].flatMap((folder) => filesBelow(join(ROOT, folder)));
    const scripts = rest.filter((path) => path.endsWith(".ts") && !path.includes("node_modules"));
    const used = [...outside, ...scripts.map((path) => readFileSync(path, "utf8"))].flatMap((text) =>
      importedNames(text, "@capstan/core/internal"),
    );
    expect(exportedNames(internal).filter((name) => !used.includes(name))).toEqual([]);
  });

  test("core does no I/O", () => {
    const faults = sources.filter(
      ({ pkg, name, text }) =>
        pkg === "core" && !isTest(name) && importsOf(text).some((s) => s.startsWith("node:")),
    );
    expect(faults.map(({ name }) => name)).toEqual([]);
  });

  test("the server asks the runtime for rows: it holds no SQL on tables", () => {
    const statement =
      /(?:`|"|')\s*(?:select\b[^`"']*?\bfrom\s+[a-z]|insert into\s|update [a-z_]+\s+set\s|delete from\s)/i;
    const faults = sources.filter(
      ({ pkg, name, text }) => pkg === "server" && !isTest(name) && statement.test(text),
    );
    expect(faults.map(({ name }) => name)).toEqual([]);
  });

  test("no package imports another's inside", () => {
    const faults = sources.filter(
      ({ name, text }) =>
        !isTest(name) &&
        importsOf(text).some((s) => /^@capstan\/[^/]+\//.test(s) && !SECOND_ENTRIES.includes(s)),
    );
    expect(faults.map(({ name }) => name)).toEqual([]);
  });

  test("no wire shape is declared outside client/src/wire", () => {
    const isClientOrServer = ({ pkg }: { pkg: string }) => ["client", "server", "cli", "web"].includes(pkg);
    const faults = sources.filter(
      (file) =>
        isClientOrServer(file) &&
        !isTest(file.name) &&
        !file.name.startsWith("packages/client/src/wire/") &&
        declaresWireShape(file.text),
    );
    expect(faults.map(({ name }) => name)).toEqual([]);
  });

  test("what a route of ours takes and answers is declared in client/src/wire, a foreign protocol's beside it", () => {
    const isRoute = ({ name }: { name: string }) =>
      name.startsWith("packages/server/src/") && !isTest(name) && !isForeign(name);
    const faults = sources.filter(isRoute).flatMap(({ name, text }) => {
      const fromWire = importedNames(text, "@capstan/client/wire");
      const used = [...text.matchAll(/(?<![.\w])json(?:Body)?\((\w+)/g)].map(([, schema]) => `${schema}`);
      const open = /const (\w+) = z\.record\(z\.string\(\), z\.unknown\(\)\)/.exec(text)?.[1]; // any JSON object is no shape
      return used
        .filter((schema) => /^[A-Z]/.test(schema) && schema !== open && !fromWire.includes(schema))
        .map((schema) => `${name}: ${schema}`);
    });
    expect(faults).toEqual([]);
  });

  test("a JSON body is parsed in server/src/http, whoever asks for it", () => {
    const faults = sources.filter(
      ({ name, text }) =>
        name.startsWith("packages/server/src/") &&
        !name.startsWith("packages/server/src/http/") &&
        !isTest(name) &&
        /\breq\.json\(/.test(text),
    );
    expect(faults.map(({ name }) => name)).toEqual([]);
  });

  test("what is wrong with an input is said in our words, by readInput, and never in a library's", () => {
    const prints = /\bprettifyError\b|\bflattenError\b|\btreeifyError\b|\.error\.(message|issues|format)\b/;
    const wrong = sources.filter(
      ({ name, text }) => !isTest(name) && /safeParse/.test(text) && prints.test(text),
    );
    expect(wrong.map(({ name }) => name)).toEqual([]);
  });

  test("no cast goes through unknown but the listed ones, and each of those is still needed", () => {
    const found = sources.filter(({ name, text }) => !isTest(name) && text.includes(" as unknown as "));
    expect(found.map(({ name }) => name).sort()).toEqual(Object.keys(CASTS_LEFT).sort());
  });

  test("every import that the picture allows is used, and so is every second entry", () => {
    const unused = PACKAGES.flatMap((pkg) => {
      const used = sources
        .filter((file) => file.pkg === pkg && !isTest(file.name))
        .flatMap(({ text }) => importsOf(text));
      return (MAY_IMPORT[pkg] ?? [])
        .filter((other) => !used.some((specifier) => packageOf(specifier) === `@capstan/${other}`))
        .map((other) => `${pkg} -> ${other}`);
    });
    expect(unused).toEqual([]);
    const all = sources.filter(({ name }) => !isTest(name)).flatMap(({ text }) => importsOf(text));
    expect(SECOND_ENTRIES.filter((entry) => !all.includes(entry))).toEqual([]);
    expect(readFileSync(join(ROOT, AMBIENT), "utf8")).toContain("process.env");
  });

  test("no feature of the server takes all of its parts: each names what it needs", () => {
    const faults = sources.filter(
      ({ name, text }) =>
        name.startsWith("packages/server/src/") &&
        !name.startsWith("packages/server/src/start/") &&
        importsOf(text).some((specifier) => specifier.endsWith("/start/open-features.ts")),
    );
    expect(faults.map(({ name }) => name)).toEqual([]);
  });

  test("the server takes only the wire of the client, whose root would load AG-UI's whole client at every start", () => {
    const faults = sources.filter(
      ({ pkg, name, text }) =>
        pkg === "server" && !isTest(name) && /^import (?!type\b)[^;]* from "@capstan\/client";/m.test(text),
    );
    expect(faults.map(({ name }) => name)).toEqual([]);
  });

  test("only the gate calls a tool's run", () => {
    const faults = sources.filter(
      ({ pkg, name, text }) =>
        !isTest(name) &&
        pkg !== "core" &&
        /\btool\.(tool\.)?run\(/.test(text) &&
        name !== "packages/runtime/src/gate/gate.ts",
    );
    expect(faults.map(({ name }) => name)).toEqual([]);
  });
});

describe("the folders", () => {
  test.each(PACKAGES)("of %s import each other in one direction, types included", (pkg) => {
    expect(foldersInCycles(pkg)).toEqual([]);
  });
});

describe("the names", () => {
  test("of functions that write are verbs, not participles", () => {
    const found = sources
      .filter(({ name }) => !isTest(name))
      .flatMap(({ name, text }) => effectNames(text).map((effect) => `${basename(name)}: ${effect}`))
      .filter((entry) => PARTICIPLE.test(entry.split(": ")[1] ?? ""));
    expect(found).toEqual([]);
  });
});

describe("the words", () => {
  const pages = [join(ROOT, "README.md"), join(ROOT, "ARCHITECTURE.md"), ...filesBelow(join(ROOT, "docs"))]
    .filter((path) => path.endsWith(".md") && !path.includes("/decisions/"))
    .map((path) => ({ name: relative(ROOT, path), text: readFileSync(path, "utf8") }));
  const texts = [...sources.filter(({ name }) => !name.includes("/fixtures/")), ...pages];
  test.each(REPLACED_PHRASES)("use no %s; write: %s", (phrase) => {
    const found = texts.flatMap(({ name, text }) =>
      text.split("\n").flatMap((line, at) => (phrase.test(line) ? [`${name}:${at + 1} ${line.trim()}`] : [])),
    );
    expect(found).toEqual([]);
  });
});

describe("one word, one meaning", () => {
  test("an engine is the part that drives runs; code runs in interpreters, programs in runners", () => {
    const drivesRuns = /^packages\/(?:runtime|server)\/src\/runs\//;
    const names = sources.filter(
      ({ name, text }) =>
        !drivesRuns.test(name) && /\b(?:class|interface|type|function|const) \w*[eE]ngine\w*/.test(text),
    );
    expect(names.filter(({ name }) => !isTest(name)).map(({ name }) => name)).toEqual([]);
  });
});

describe("the files", () => {
  test(`have at most ${MAX_LINES} lines`, () => {
    const long = sources.filter(({ name, text }) => !isTest(name) && text.split("\n").length > MAX_LINES + 1);
    expect(long.map(({ name }) => name)).toEqual([]);
  });

  test("are named for what they hold, not for being left over", () => {
    expect(sources.filter(({ name }) => NO_DRAWERS.test(name)).map(({ name }) => name)).toEqual([]);
  });

  test("one index.ts per package", () => {
    const extra = sources.filter(
      ({ name }) => /\/index\.tsx?$/.test(name) && !/^packages\/[^/]+\/src\/index\.ts$/.test(name),
    );
    expect(extra.map(({ name }) => name)).toEqual([]);
  });

  test("no object literal is spread into another one", () => {
    const faults = sources.filter(({ text }) => /\.\.\.\{(?! readonly)/.test(text));
    expect(faults.map(({ name }) => name)).toEqual([]);
  });

  test("only the entry points lie loose in server/src", () => {
    const loose = sources.filter(({ name }) => /^packages\/server\/src\/[^/]+$/.test(name));
    expect(loose.map(({ name }) => name.split("/").at(-1))).toEqual(["index.ts", "main.ts"]);
  });

  test("process.env is read only in main.ts", () => {
    const faults = sources.filter(
      ({ name, text }) =>
        !isTest(name) && !name.endsWith("/main.ts") && name !== AMBIENT && /process\.env\b/.test(text),
    );
    expect(faults.map(({ name }) => name)).toEqual([]);
  });
});

describe("the documents", () => {
  test("AGENTS.md stays under 100 lines and ARCHITECTURE.md under 200", () => {
    expect(readFileSync(join(ROOT, "AGENTS.md"), "utf8").split("\n").length).toBeLessThanOrEqual(100);
    expect(readFileSync(join(ROOT, "ARCHITECTURE.md"), "utf8").split("\n").length).toBeLessThanOrEqual(200);
  });

  test.each([
    ["A message", 15],
    ["A task", 12],
    ["An install", 15],
  ])("%s is walked in at most %i files, each visited once", (title, most) => {
    const text = readFileSync(join(ROOT, "ARCHITECTURE.md"), "utf8");
    const [, walk = ""] = text.split(`**${title}**`);
    const files = [...(walk.split(/\n\*\*|\n## /)[0] ?? "").matchAll(/^\d+\. `([^`]+)`/gm)].map(
      ([, file]) => `${file}`,
    );
    expect(files.filter((file) => !existsSync(join(ROOT, "packages", file)))).toEqual([]);
    expect(new Set(files).size).toBe(files.length);
    expect(files.length).toBeGreaterThan(5);
    expect(files.length).toBeLessThanOrEqual(most);
  });

  test("every dependency is explained in docs/dependencies.md, with an exact version", () => {
    const text = readFileSync(join(ROOT, "docs/dependencies.md"), "utf8");
    const manifests = ["package.json", ...PACKAGES.map((name) => `packages/${name}/package.json`)].map(
      (path) => JSON.parse(readFileSync(join(ROOT, path), "utf8")),
    );
    const all = manifests.flatMap((m) =>
      Object.entries({ ...m.dependencies, ...m.devDependencies, ...m.optionalDependencies }),
    );
    const outside = all.filter(([name]) => !name.startsWith("@capstan/"));
    expect(
      outside.filter(([, version]) => !/^(npm:@?[\w/.-]+@)?\d+\.\d+\.\d+/.test(String(version))),
    ).toEqual([]);
    const unexplained = outside.filter(([name]) => !text.includes(`- ${name} `)).map(([name]) => name);
    expect([...new Set(unexplained)]).toEqual([]);
  });
});

/** A schema of the API's document, a body or an answer described in its route, or a type with the API's snake_case names. */
function declaresWireShape(text: string): boolean {
  const types = [...text.matchAll(/(?:interface \w+[^{]*|type \w+ = )\{([^}]*)\}/g)].map(
    ([, fields = ""]) => fields,
  );
  return (
    /\.openapi\("|\bjson(?:Body)?\(\s*z\b/.test(text) ||
    types.some((fields) => /^\s*(?:readonly )?[a-z]+(?:_[a-z]+)+\??:/m.test(fields))
  );
}

function filesBelow(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(path) : [path];
  });
}

function importsOf(text: string): string[] {
  const found = text.matchAll(
    /(?:^|\n)(?:import|export)\s[^;"]*?\sfrom\s+"([^"]+)"|\bimport\(\s*"([^"]+)"\s*\)|(?:^|\n)import\s+"([^"]+)"/g,
  );
  return [...found].map((match) => match[1] ?? match[2] ?? match[3] ?? "");
}

/** Folders of a package, without its root, that reach themselves through the imports of other folders. */
function foldersInCycles(pkg: string): string[] {
  const root = join(ROOT, "packages", pkg, "src");
  const edges = new Map<string, Set<string>>();
  for (const { path, text } of sources.filter((file) => file.pkg === pkg && !isTest(file.name))) {
    const from = relative(root, dirname(path));
    const targets = importsOf(text)
      .filter((specifier) => specifier.startsWith("."))
      .map((specifier) => relative(root, dirname(join(dirname(path), specifier))))
      .filter((to) => to !== from && to !== "" && from !== "");
    edges.set(from, new Set([...(edges.get(from) ?? []), ...targets]));
  }
  const reachable = (start: string): Set<string> => {
    const seen = new Set<string>();
    const waiting = [...(edges.get(start) ?? [])];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      if (seen.has(next)) continue;
      seen.add(next);
      waiting.push(...(edges.get(next) ?? []));
    }
    return seen;
  };
  return [...edges.keys()].filter((folder) => reachable(folder).has(folder)).sort();
}

/** Functions and methods that return nothing or a promise: whatever they are called for is an effect. */
function effectNames(text: string): string[] {
  const parameters = String.raw`(?:<[^>]*>)?\([^{};]*?(?:\{[^{};]*\}[^{};]*?)*\)`;
  const found = text.matchAll(
    new RegExp(
      String.raw`\bfunction\*? (\w+)${parameters}: (?:void|Promise<)|^ {2}(?:async )?#?(\w+)${parameters}: (?:void|Promise<)|\b(\w+) = async\b|\basync function (\w+)`,
      "gm",
    ),
  );
  return [...new Set([...found].map((match) => match[1] ?? match[2] ?? match[3] ?? match[4] ?? ""))];
}

const namesIn = (list: string) =>
  list
    .split(",")
    .map((name) =>
      name
        .trim()
        .replace(/^type /, "")
        .replace(/ as .*/, ""),
    )
    .filter(Boolean);

function exportedNames(text: string): string[] {
  return [...text.matchAll(/export (?:type )?\{([^}]*)\}/g)].flatMap(([, list = ""]) => namesIn(list));
}

function importedNames(text: string, entry: string): string[] {
  const found = text.matchAll(/(?:import|export)\s(?:type\s)?\{([^}]*)\} from "([^"]+)"/g);
  return [...found].flatMap(([, list = "", from]) => (from === entry ? namesIn(list) : []));
}

function packageOf(specifier: string): string {
  const [scope = "", name] = specifier.split("/");
  return scope.startsWith("@") ? `${scope}/${name}` : scope;
}
