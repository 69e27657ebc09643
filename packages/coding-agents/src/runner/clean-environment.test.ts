import { expect, test } from "vitest";
import { cleanEnvironment, redact } from "./clean-environment.ts";

test("passes on what every process needs and what the CLI may see; explicit values win", () => {
  const environment = cleanEnvironment({
    ambient: {
      PATH: "/bin",
      HOME: "/home/a",
      DATABASE_URL: "postgres://x",
      ANTHROPIC_API_KEY: "sk",
      EMPTY: undefined,
    },
    allowed: /^ANTHROPIC_/,
    adapter: { MAX_THINKING_TOKENS: "1", HOME: "/adapter" },
    asked: { HOME: "/asked" },
    runId: "r1",
  });
  expect(environment).toEqual({
    PATH: "/bin",
    HOME: "/asked",
    ANTHROPIC_API_KEY: "sk",
    MAX_THINKING_TOKENS: "1",
    NO_COLOR: "1",
    CAPSTAN_RUN: "r1",
  });
});

test("quoted output does not contain keys of the environment", () => {
  const environment = { ANTHROPIC_API_KEY: "sk-very-secret", GH_TOKEN: "short", LANG: "en_US.UTF-8" };
  expect(redact("key sk-very-secret in en_US.UTF-8", environment)).toBe("key *** in en_US.UTF-8");
});
