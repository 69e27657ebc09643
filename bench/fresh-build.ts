/** Builds what would be published, so that no stale build is measured. Returns the packages' folder. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";

export function freshBuild(): string {
  const root = join(import.meta.dirname, "..");
  console.log("Building what would be published ...");
  const { status } = spawnSync(process.execPath, [join(root, "tools/build.ts")], { stdio: "inherit" });
  if (status !== 0) throw new Error("the build failed");
  return join(root, "build/packages");
}
