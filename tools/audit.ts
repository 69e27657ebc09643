/** `npm audit` of what is shipped, if the registry supports it; otherwise reports that nothing was checked. */
import { spawnSync } from "node:child_process";

const { status, stdout } = spawnSync("npm", ["audit", "--omit", "dev", "--json"], { encoding: "utf8" });
const report = parsed(stdout);
if (report?.metadata === undefined) {
  const why = report?.message ?? report?.error?.summary ?? "no answer";
  process.stdout.write(`The registry does not answer audits (${why}): nothing was checked.\n`);
} else {
  const counts = report.metadata.vulnerabilities;
  process.stdout.write(`${JSON.stringify(counts)}\n`);
  process.exitCode = status ?? 1;
}

interface Report {
  readonly message?: string;
  readonly error?: { readonly summary?: string };
  readonly metadata?: { readonly vulnerabilities: Record<string, number> };
}

function parsed(text: string): Report | undefined {
  try {
    return JSON.parse(text) as Report;
  } catch {
    return undefined;
  }
}
