import { readdirSync, readFileSync } from "node:fs";
import { CAPABILITY_GROUPS, type CodingAgentCapabilities } from "@capstan/core/internal";
import { describe, expect, test } from "vitest";
import { BUILT_IN_AGENT_NAMES } from "../built-in/built-in-agents.ts";
import { ALL_MANIFESTS, MANIFESTS } from "../built-in/manifests.ts";
import { MATRIX_COLUMNS, matrixMarkdown, matrixRows } from "../built-in/matrix.ts";

/** Every field of the seed's interface, with ours, and what a value of it looks like. */
const FIELDS: Record<
  Exclude<keyof CodingAgentCapabilities, OptionalField>,
  "boolean" | "string" | "array" | "object" | "nullable"
> = {
  agent: "string",
  canResume: "boolean",
  canFork: "boolean",
  supportsMultiTurn: "boolean",
  sessionPersistence: "string",
  supportsTextStreaming: "boolean",
  supportsToolCallStreaming: "boolean",
  supportsThinkingStreaming: "boolean",
  supportsNativeTools: "boolean",
  supportsMCP: "boolean",
  supportsParallelToolCalls: "boolean",
  requiresToolApproval: "boolean",
  approvalModes: "array",
  supportsApprovalEdits: "boolean",
  supportsThinking: "boolean",
  thinkingEffortLevels: "array",
  supportsThinkingBudgetTokens: "boolean",
  supportsJsonMode: "boolean",
  supportsStructuredOutput: "boolean",
  reportsUsage: "string",
  reportsCost: "boolean",
  supportsSkills: "boolean",
  supportsAgentsMd: "boolean",
  skillsFormat: "nullable",
  supportsSubagentDispatch: "boolean",
  supportsParallelExecution: "boolean",
  supportsInteractiveMode: "boolean",
  supportsStdinInjection: "boolean",
  supportsACP: "boolean",
  supportsImageInput: "boolean",
  supportsImageOutput: "boolean",
  supportsFileAttachments: "boolean",
  supportsPlugins: "boolean",
  pluginFormats: "array",
  pluginRegistries: "array",
  supportedPlatforms: "array",
  requiresGitRepo: "boolean",
  requiresPty: "boolean",
  authMethods: "array",
  authFiles: "array",
  installMethods: "array",
  verified: "object",
};
const OPTIONAL = [
  "maxParallelTasks",
  "pluginInstallCmd",
  "pluginListCmd",
  "pluginUninstallCmd",
  "pluginMarketplaceUrl",
  "pluginSearchCmd",
] as const;
type OptionalField = (typeof OPTIONAL)[number];

test("every manifest that is written is in the one list of agents, under its own name", () => {
  const folder = new URL("./", import.meta.url);
  const written = readdirSync(folder).filter((file) =>
    /^export const \w+Manifest = defineManifest\(/m.test(readFileSync(new URL(file, folder), "utf8")),
  );
  expect(written.map((file) => file.replace(".ts", "")).sort()).toEqual([...BUILT_IN_AGENT_NAMES].sort());
  expect(ALL_MANIFESTS.map(({ capabilities }) => capabilities.agent)).toEqual(BUILT_IN_AGENT_NAMES);
});

describe.each(BUILT_IN_AGENT_NAMES)("the manifest of %s", (name) => {
  const manifest = MANIFESTS[name];
  const { capabilities } = manifest;

  test("has every field of the seed, and none that nobody knows", () => {
    for (const [field, kind] of Object.entries(FIELDS)) {
      expect(kindOf(capabilities[field as keyof CodingAgentCapabilities], kind), field).toBe(kind);
    }
    const known = [...Object.keys(FIELDS), ...OPTIONAL];
    expect(known).toEqual(expect.arrayContaining(Object.keys(capabilities)));
  });

  test("cannot be changed, at any depth", () => {
    for (const part of partsOf(manifest)) expect(Object.isFrozen(part)).toBe(true);
    expect(() => Object.assign(capabilities, { canResume: !capabilities.canResume })).toThrow(TypeError);
  });

  test("says of every group how it is known", () => {
    expect(Object.keys(capabilities.verified)).toEqual([...CAPABILITY_GROUPS]);
    for (const { version, date, by } of Object.values(capabilities.verified)) {
      expect(version).not.toBe("");
      expect(date).toMatch(/^\d{4}-\d{2}-\d{2}$/);
      expect(["run", "docs"]).toContain(by);
    }
  });

  test("agrees with itself", () => {
    expect(capabilities.agent).toBe(name);
    expect(capabilities.thinkingEffortLevels.length > 0).toBe(capabilities.supportsThinking);
    expect(capabilities.skillsFormat !== null).toBe(capabilities.supportsSkills);
    expect(capabilities.pluginFormats.length > 0).toBe(capabilities.supportsPlugins);
    expect(manifest.plugins === "no").toBe(!capabilities.supportsPlugins);
    expect(manifest.thinking === "no").toBe(!capabilities.supportsThinking);
    expect(manifest.streaming === "no").toBe(!capabilities.supportsTextStreaming);
    if (capabilities.supportsThinkingBudgetTokens) expect(capabilities.supportsThinking).toBe(true);
  });

  test("has a way to install it on each platform it runs on, and auth files below home", () => {
    for (const platform of capabilities.supportedPlatforms) {
      const methods = capabilities.installMethods.filter((method) =>
        ["all", platform].includes(method.platform),
      );
      expect(methods.length, platform).toBeGreaterThan(0);
    }
    for (const file of capabilities.authFiles) expect(file).toMatch(/^~\//);
  });

  test("runs its own command for plugins", () => {
    const { pluginInstallCmd, pluginListCmd, pluginUninstallCmd, pluginSearchCmd } = capabilities;
    for (const command of [pluginInstallCmd, pluginListCmd, pluginUninstallCmd, pluginSearchCmd]) {
      if (command !== undefined) expect(command.split(" ")[0]).toBe(manifest.commands[0]);
    }
    if (pluginInstallCmd) expect(pluginInstallCmd).toContain("<plugin>");
    if (pluginUninstallCmd) expect(pluginUninstallCmd).toContain("<plugin>");
  });
});

describe("version patterns", () => {
  test.each([
    ["claude", "2.1.325 (Claude Code)", "2.1.325"],
    [
      "codex",
      "WARNING: proceeding, even though we could not create PATH aliases\ncodex-cli 0.166.0",
      "0.166.0",
    ],
    ["gemini", "0.61.0", "0.61.0"],
    ["copilot", "GitHub Copilot CLI 1.0.102.\nRun 'copilot update' to check for updates.", "1.0.102"],
    ["cursor", "2026.11.03-a84f3c2", "2026.11.03-a84f3c2"],
    ["opencode", "1.18.33", "1.18.33"],
    ["pi", "0.87.1", "0.87.1"],
    ["omp", "omp/18.2.3", "18.2.3"],
    ["openclaw", "OpenClaw 2026.9.6 (abc1234)", "2026.9.6"],
    ["hermes", "Hermes Agent v0.21.5 (2026.10.1)", "0.21.5"],
  ] as const)("%s reads %j", (name, printed, version) => {
    expect(new RegExp(MANIFESTS[name].versionPattern, "m").exec(printed)?.[1]).toBe(version);
  });

  test.each([
    ["claude", "claude native binary not installed. Run node install.cjs"],
    ["opencode", "It seems that the postinstall script was not run."],
    ["cursor", "0.4.2"],
  ] as const)("%s does not take %j for a version", (name, printed) => {
    expect(new RegExp(MANIFESTS[name].versionPattern, "m").exec(printed)).toBeNull();
  });
});

describe("the matrix", () => {
  test("has the seed's eleven columns and a row for each agent", () => {
    expect(MATRIX_COLUMNS).toHaveLength(11);
    const rows = matrixRows();
    expect(rows).toHaveLength(BUILT_IN_AGENT_NAMES.length);
    for (const row of rows) expect(Object.keys(row)).toEqual([...MATRIX_COLUMNS]);
  });

  test("shows what was observed where it differs from what is declared", () => {
    const [row] = matrixRows(ALL_MANIFESTS.slice(0, 1), (declared) => ({
      ...declared,
      supportsMCP: false,
      canFork: false,
    }));
    expect(row).toMatchObject({ CLI: "claude", MCP: "no", Fork: "no" });
  });

  test("reads as a Markdown table", () => {
    const lines = matrixMarkdown().split("\n");
    expect(lines[0]).toBe(`| ${MATRIX_COLUMNS.join(" | ")} |`);
    expect(lines[2]).toBe(
      "| Claude Code | `claude` | JSONL | yes | yes | yes | yes | yes | yes | no | darwin, linux, win32 |",
    );
  });
});

function kindOf(value: unknown, expected: string): string {
  if (expected === "nullable" && (value === null || typeof value === "string")) return "nullable";
  return Array.isArray(value) ? "array" : typeof value;
}

function partsOf(value: unknown): object[] {
  if (typeof value !== "object" || value === null) return [];
  return [value, ...Object.values(value).flatMap(partsOf)];
}
