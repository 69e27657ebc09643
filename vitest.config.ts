import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * The lanes. `*.test.ts` is pure and fast; `*.live.test.ts` starts real parts (a database, a server, a browser);
 * `*.long.test.ts` does the same for twenty seconds or more, and runs in CI; `*.slow.test.ts` is long chaos, fuzz and load; `*.agents.test.ts` drives real coding-agent binaries.
 */
const ROOTS = ["packages/*/src", "tools", "examples"];
const LANES = ["live", "long", "slow", "agents"];
const files = (suffix: string) => ROOTS.map((root) => `${root}/**/*${suffix}.test.{ts,tsx}`);
const lane = (name: string, timeoutMs: number) => ({
  test: {
    name,
    include: files(`.${name}`),
    testTimeout: timeoutMs,
    hookTimeout: timeoutMs,
    expect: { poll: { timeout: 30_000 } }, // what is waited for comes on a busy machine too
    pool: "forks" as const,
    maxWorkers: 3, // live tests wait for others half of the time: one more than the two cores they are meant for
    globalSetup: ["tools/real-parts.ts"],
  },
});

/** Half a minute each: one of them begun last would keep one core waiting for the other. */
const LONGEST = [
  "separation",
  "audit-log",
  "screens",
  "installer",
  "install-attacks",
  "gate-proof",
  "chat",
  "pack",
];
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) =>
      LONGEST.some((name) => moduleId.includes(`/${name}.l`));
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: LongestFirst },
    projects: [
      {
        test: {
          name: "pure",
          include: files(""),
          exclude: LANES.flatMap((name) => files(`.${name}`)),
          pool: "threads",
          isolate: false, // pure tests change nothing that another could see; without it two thirds of the time is imports
          testTimeout: 30_000, // property tests on a busy machine; no promise depends on it
        },
      },
      lane("live", 120_000),
      lane("long", 240_000),
      lane("slow", 1_800_000),
      lane("agents", 300_000),
    ],
  },
});
