/** The matrix of the seed's section 10: one row per agent, the eleven columns, for docs, CLI and studio alike. */
import type { CodingAgentCapabilities, CodingAgentManifest } from "@capstan/core/internal";
import { ALL_MANIFESTS } from "./manifests.ts";

export const MATRIX_COLUMNS = [
  "Adapter",
  "CLI",
  "Session",
  "Stream",
  "Fork",
  "Thinking",
  "MCP",
  "Skills",
  "Plugins",
  "ACP",
  "Platforms",
] as const;
export type MatrixColumn = (typeof MATRIX_COLUMNS)[number];
export type MatrixRow = Readonly<Record<MatrixColumn, string>>;

/** Pass effective capabilities by agent to show what a probe observed in place of what is declared. */
export function matrixRows(
  manifests: readonly CodingAgentManifest[] = ALL_MANIFESTS,
  effective: (declared: CodingAgentCapabilities) => CodingAgentCapabilities = (declared) => declared,
): MatrixRow[] {
  return manifests.map((manifest) => matrixRow(manifest, effective(manifest.capabilities)));
}

function matrixRow(manifest: CodingAgentManifest, has: CodingAgentCapabilities): MatrixRow {
  const platforms = has.supportedPlatforms.join(", ");
  return {
    Adapter: manifest.displayName,
    CLI: manifest.commands[0],
    Session: manifest.sessionFormat,
    Stream: has.supportsTextStreaming ? manifest.streaming : "no",
    Fork: yesNo(has.canFork),
    Thinking: has.supportsThinking ? manifest.thinking : "no",
    MCP: yesNo(has.supportsMCP),
    Skills: yesNo(has.supportsSkills),
    Plugins: has.supportsPlugins ? manifest.plugins : "no",
    ACP: yesNo(has.supportsACP),
    Platforms: manifest.platformNote ? `${platforms} (${manifest.platformNote})` : platforms,
  };
}

const yesNo = (value: boolean) => (value ? "yes" : "no");

/** The same as a Markdown table. */
export function matrixMarkdown(rows: readonly MatrixRow[] = matrixRows()): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const body = rows.map((row) =>
    line(MATRIX_COLUMNS.map((column) => (column === "CLI" ? `\`${row.CLI}\`` : row[column]))),
  );
  return [line(MATRIX_COLUMNS), line(MATRIX_COLUMNS.map(() => "---")), ...body].join("\n");
}
