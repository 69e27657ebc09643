/** `npm run reliability`: writes docs/reliability.md from what the slow tests left in bench/results/reliability, and from the lists of what is tried. */
import { writeFileSync } from "node:fs";
import { reliabilityPage } from "./reliability-page.ts";

writeFileSync(new URL("../docs/reliability.md", import.meta.url), reliabilityPage());
