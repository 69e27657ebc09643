/** The server answers the paths of the studio's screens with its page. A screen that it does not know cannot be opened by its address. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { SCREENS } from "../packages/server/src/studio/studio.ts";

const router = readFileSync(new URL("../packages/web/src/app.tsx", import.meta.url), "utf8");

/** `["/chat/:session?", lazy(...)]`: the first word of each path but `/` and `*`. */
const routed = [...router.matchAll(/\["\/([\w-]+)[^"]*", lazy\(/g)].map(([, word]) => word);

test("the server knows every screen of the studio's router, and no other", () => {
  expect([...SCREENS].sort()).toEqual([...new Set(routed)].sort());
});

test("every route of the router was read", () => {
  const all = router.match(/lazy\(\(\) => import/g) ?? [];
  expect(routed.length).toBe(all.length - ["/", "*"].length);
});
