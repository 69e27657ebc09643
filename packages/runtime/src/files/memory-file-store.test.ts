import { memoryFileStore } from "@capstan/core";
import { expect, test } from "vitest";
import { fileStoreContract } from "./file-store-contract.ts";
import { compileGrep } from "./line-finder.ts";

fileStoreContract("memory", async (limits = {}) => memoryFileStore({ compile: compileGrep, limits }));

test("without a pattern matcher, searching says what is missing", async () => {
  expect(await memoryFileStore().grep("x")).toMatchObject({
    failure: { code: "not_available", nextStep: expect.stringContaining("compile") },
  });
});
