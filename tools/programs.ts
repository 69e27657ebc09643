/** The two programs that are bundled: their entries, and what must lie beside the bundle. */
import type { Bundle } from "./bundle.ts";

export interface Program {
  readonly bundles: readonly Bundle[];
  /** From the repository's root to the published package. */
  readonly assets: Readonly<Record<string, string>>;
  readonly dependencies: readonly string[];
  readonly optionalDependencies: readonly string[];
}

export const PROGRAMS: { readonly server: Program; readonly cli: Program } = {
  server: {
    bundles: [
      {
        entries: {
          main: "packages/server/src/main.ts",
          index: "packages/server/src/index.ts",
          "maintenance/main": "packages/server/src/maintenance/main.ts",
          "chunks/minilm-worker": "packages/builtins/src/models/minilm-worker.ts", // a thread, started by its file name
        },
      },
      { entries: { "chunks/sandbox/child": "packages/runtime/src/sandbox/child.ts" }, alone: true },
      {
        entries: { "chunks/commands/network-child": "packages/runtime/src/commands/network-child.ts" },
        alone: true,
      },
      {
        entries: { "chunks/o200k-base": "node_modules/gpt-tokenizer/cjs/encoding/o200k_base.js" },
        format: "cjs",
        alone: true,
        minify: true,
      },
    ],
    assets: {
      "packages/runtime/drizzle": "drizzle",
      "packages/builtins/data": "data",
      "packages/runtime/data": "data",
    },
    dependencies: ["@capstan/core", "zod"],
    optionalDependencies: ["@electric-sql/pglite", "just-bash", "pyodide", "quickjs-emscripten"],
  },
  cli: {
    bundles: [{ entries: { main: "packages/cli/src/main.ts", index: "packages/cli/src/index.ts" } }],
    assets: { "packages/cli/templates": "templates", "packages/cli/bin": "bin" },
    dependencies: ["@capstan/core", "zod"],
    optionalDependencies: ["@capstan/server"],
  },
};
