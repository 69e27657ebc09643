import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const PACKAGES = fileURLToPath(new URL("../../../", import.meta.url));

test("only the gate calls a tool's run", () => {
  const callers = readdirSync(PACKAGES, { recursive: true, encoding: "utf8" })
    .filter((path) => /^[\w-]+\/src\/.*\.tsx?$/.test(path) && !/\.test\.tsx?$|\/fixtures\//.test(path))
    .filter((path) => /\btool\.run\(/.test(withoutComments(readFileSync(PACKAGES + path, "utf8"))));
  expect(callers).toEqual(["runtime/src/gate/gate.ts"]);
});

const withoutComments = (text: string): string => text.replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, "");
