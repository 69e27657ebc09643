import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Result, readManifest } from "@capstan/core";
import { readNpmPackage, readTarGz, readWheel, readZip, stripTopFolder } from "@capstan/core/internal";
import { afterAll, describe, expect, test } from "vitest";
import { parse as parseYaml } from "yaml";
import { archiveCodec as codec } from "./archive-codec.ts";
import { pack, packFolder } from "./pack.ts";
import { type ScaffoldOptions, scaffold } from "./scaffold.ts";

const into = mkdtempSync(join(tmpdir(), "capstan-new-"));
afterAll(() => rmSync(into, { recursive: true, force: true }));

const PROJECTS: (Omit<ScaffoldOptions, "into"> & { label: string })[] = (
  ["python", "typescript"] as const
).flatMap((language) => [
  { label: `cli in ${language}`, type: "cli", name: `words-${language}`, language },
  { label: `rt by files in ${language}`, type: "rt", name: `watch-${language}`, language, pattern: "file" },
  { label: `rt by HTTP in ${language}`, type: "rt", name: `desk-${language}`, language, pattern: "api" },
]);

test("a new project creates its parent folder", async () => {
  const { folder } = value(await scaffold({ type: "cli", name: "tides", into: join(into, "not", "yet") }));
  expect(folder).toBe(join(into, "not", "yet", "capstan-cli-tides"));
});

describe.each(PROJECTS)("a new project: $label", ({ label: _, ...options }) => {
  test("has the specified structure, packs, and its own tests pass", async () => {
    const { folder, files } = value(await scaffold({ ...options, into, prefix: "aech" }));
    expect(files).toEqual(expect.arrayContaining(structure(options)));
    expect(files.map((file) => readFileSync(join(folder, file), "utf8")).join("")).not.toMatch(
      /\{\{|__module__/,
    );
    const manifest = readManifest(
      readFileSync(join(folder, options.type === "rt" ? "cli/manifest.json" : "manifest.json"), "utf8"),
    );
    expect(manifest).toMatchObject({
      ok: true,
      value: { name: options.name, command: `aech-cli-${options.name}` },
    });
    await runTests(folder, options.language ?? "typescript");
    const packed = value(await pack(folder, join(into, "out")));
    expect(describePacked(packed)).toMatchObject({
      ok: true,
      value: {
        name: `aech-cli-${options.name}`,
        version: "0.1.0",
        commands: [`aech-cli-${options.name}`],
        dependencies: [],
      },
    });
    expect(value(await packFolder(folder)).sha256).toBe(packed.sha256);
  });
});

describe("compose files", () => {
  test("of a file-based service mount the user's directory and the trigger outbox, and need no network", async () => {
    const compose = await composeOf("file");
    expect(compose).toEqual({
      services: {
        box: {
          build: ".",
          image: "aech-rt-box",
          env_file: [".env"],
          volumes: [
            "../data/users/$" + "{DELEGATED_USER}:/home/agentaech:rw",
            "../data/rt_triggers/box:/triggers/outbox:rw",
          ],
          restart: "unless-stopped",
        },
      },
    });
  });

  test("of an API service mount its shared data and join the external network", async () => {
    const compose = await composeOf("api");
    expect(compose).toEqual({
      services: {
        box: {
          build: ".",
          image: "aech-rt-box",
          container_name: "aech-rt-box",
          env_file: [".env"],
          volumes: ["../data/app_context/box:/data"],
          networks: ["aech-network"],
          restart: "unless-stopped",
        },
      },
      networks: { "aech-network": { external: true } },
    });
  });

  async function composeOf(pattern: "file" | "api"): Promise<unknown> {
    const own = mkdtempSync(join(into, "compose-"));
    const { folder } = value(
      await scaffold({ type: "rt", name: "box", pattern, prefix: "aech", language: "python", into: own }),
    );
    expect(readFileSync(join(folder, ".env.example"), "utf8")).toMatch(
      /^DELEGATED_USER=user@example\.com\s.*\nPOLL_INTERVAL=60\s/,
    );
    expect(readFileSync(join(folder, "Dockerfile"), "utf8")).toMatch(/^CMD \[".*"\]$/m);
    return parseYaml(readFileSync(join(folder, "docker-compose.yml"), "utf8"));
  }
});

describe("scaffold", () => {
  test("uses our own prefix by default, and prints the next commands", async () => {
    const { folder, next } = value(await scaffold({ type: "cli", name: "plain", into }));
    expect(folder).toBe(join(into, "capstan-cli-plain"));
    expect(next).toEqual([`cd ${join(into, "capstan-cli-plain")}`, "npm test", "capstan install ."]);
  });

  test("does not overwrite an existing folder", async () => {
    value(await scaffold({ type: "cli", name: "twice", into }));
    writeFileSync(join(into, "capstan-cli-twice", "mine.txt"), "kept");
    expect(await scaffold({ type: "cli", name: "twice", into })).toMatchObject({
      failure: { code: "folder_exists" },
    });
    expect(readdirSync(join(into, "capstan-cli-twice"))).toContain("mine.txt");
  });

  test.each(["../evil", "Upper", "a b", "", "under_score"])("refuses the name %j", async (name) => {
    expect(await scaffold({ type: "cli", name, into })).toMatchObject({
      failure: { code: "package_name_invalid" },
    });
  });
});

test("pack refuses a project whose manifest would be refused at installation", async () => {
  const { folder } = value(await scaffold({ type: "cli", name: "broken", into }));
  writeFileSync(
    join(folder, "manifest.json"),
    JSON.stringify({ name: "broken", type: "cli", command: "sh -c id" }),
  );
  expect(await packFolder(folder)).toMatchObject({ failure: { code: "manifest_invalid" } });
});

function structure({ type, name, language, pattern }: Omit<ScaffoldOptions, "into">): string[] {
  const module = `aech_cli_${name.replaceAll("-", "_")}`;
  const command = {
    python: [
      `${module}/__init__.py`,
      `${module}/main.py`,
      "manifest.json",
      "pyproject.toml",
      "requirements.txt",
      "README.md",
    ],
    typescript: ["src/main.ts", "manifest.json", "package.json", "README.md"],
  }[language ?? "typescript"];
  if (type === "rt") {
    const service = language === "python" ? "src/service.py" : "src/service.ts";
    const around = ["docker-compose.yml", "Dockerfile", ".env.example", "README.md", ".gitignore"];
    return [service, ...around, ...command.map((file) => `cli/${file}`), ...(pattern ? [] : [])];
  }
  return language === "python"
    ? [
        "pyproject.toml",
        `src/${module}/__init__.py`,
        `src/${module}/main.py`,
        `src/${module}/cli.py`,
        "README.md",
      ]
    : ["package.json", "src/main.ts", "src/cli.ts", "README.md"];
}

async function runTests(folder: string, language: "python" | "typescript"): Promise<void> {
  const [command, args] =
    language === "python"
      ? ["python3", ["-m", "unittest", "discover", "tests"]]
      : [
          process.execPath,
          ["--test", ...readdirSync(join(folder, "tests")).map((name) => join("tests", name))],
        ];
  const { NODE_OPTIONS: _, VITEST: __, ...env } = process.env;
  await promisify(execFile)(command, args, { cwd: folder, env, timeout: 50_000 });
}

function describePacked({ fileName, bytes }: { fileName: string; bytes: Uint8Array }) {
  if (fileName.endsWith(".whl")) {
    const files = readZip(bytes, codec);
    return files.ok ? readWheel(files.value, codec) : files;
  }
  const files = readTarGz(bytes, codec);
  return files.ok ? readNpmPackage(stripTopFolder(files.value)) : files;
}

function value<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(`${result.failure.code}: ${result.failure.message}`);
  return result.value;
}
