/** `npm run reliability`: writes docs/reliability.md from the slow tests' results in bench/results/reliability and the lists of what is tested. */
import { writeFileSync } from "node:fs";
import { reliabilityPage } from "./reliability-page.ts";

writeFileSync(new URL("../docs/reliability.md", import.meta.url), reliabilityPage());
