/**
 * `npm run check`: the linter, the compiler and the pure tests. The tests run in parallel with the rest, for two
 * cores; all failures are shown, not only the first.
 */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

type Step = readonly [name: string, ...command: string[]];

const SIDE_BY_SIDE: readonly (readonly Step[])[] = [
  [["pure tests", "vitest/vitest.mjs", "run", "--project", "pure", "--reporter=minimal"]],
  [
    ["lint", "@biomejs/biome/bin/biome", "check", "."],
    ["types", "typescript/bin/tsc", "-p", "tsconfig.json"],
    ["types of the studio", "typescript/bin/tsc", "-p", "packages/web/tsconfig.json"],
    ["types of the benchmarks", "typescript/bin/tsc", "-p", "bench/tsconfig.json"],
  ],
];

const failed = (await Promise.all(SIDE_BY_SIDE.map(oneByOne))).flat();
for (const { name, output } of failed) console.log(`\n── ${name}\n${output}`);
if (failed.length > 0) console.log(`\nFailed: ${failed.map(({ name }) => name).join(", ")}.`);
process.exitCode = failed.length > 0 ? 1 : 0;

interface Done {
  readonly name: string;
  readonly isFine: boolean;
  readonly output: string;
}

async function oneByOne(steps: readonly Step[]): Promise<Done[]> {
  const all: Done[] = [];
  for (const [name, program = "", ...args] of steps) {
    const start = performance.now();
    const { isFine, output } = await run(program, args);
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    console.log(`${isFine ? "ok    " : "FAILED"} ${name}, ${seconds} s${counted(output)}`);
    all.push({ name, isFine, output });
  }
  return all.filter(({ isFine }) => !isFine);
}

function run(program: string, args: readonly string[]): Promise<{ isFine: boolean; output: string }> {
  const child = spawn(process.execPath, [`node_modules/${program}`, ...args], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, ...(process.stdout.isTTY && { FORCE_COLOR: "1" }) },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (bytes) => (output += bytes));
  return new Promise((resolve) => child.once("close", (code) => resolve({ isFine: code === 0, output })));
}

/** The tests' own last lines: how many there are, and how many were left out. */
function counted(output: string): string {
  const plain = output.replaceAll(new RegExp(`${String.fromCharCode(27)}\\[\\d+m`, "g"), "");
  const found = /^\s*Tests\s+(.*)$/m.exec(plain)?.[1];
  return found ? `: ${found}` : "";
}
