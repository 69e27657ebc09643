/** Which provider is meant where a document names an address only. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freshPglite } from "../../../../tools/stores-under-test.ts";
import { type Database, openDatabase } from "../db/database.ts";
import { secretBox } from "../users/secret-box.ts";
import { type ConnectionProviders, connectionProviderStore } from "./connection-providers.ts";

describe("the providers of one address", () => {
  let database: Database;
  let drop: () => Promise<void>;
  let providers: ConnectionProviders;
  beforeAll(async () => {
    const store = await freshPglite();
    drop = store.drop;
    const opened = await openDatabase({ dataDir: store.dataDir, url: store.url, version: "0.1.0" });
    if (!opened.ok) throw new Error(opened.failure.message);
    database = opened.value;
    providers = connectionProviderStore(database, secretBox("a secret of sixteen characters"));
    const addresses = {
      authorization_url: "https://api.example/authorize",
      token_url: "https://api.example/token",
      client_id: "c",
    };
    const hosts = ["api.example"];
    await providers.put("keyed", { kind: "api_key", hosts }, undefined, "admin");
    await providers.put("named", { kind: "basic", hosts }, undefined, "admin");
    await providers.put("login", { kind: "oauth2", hosts, ...addresses }, undefined, "admin");
  });
  afterAll(async () => {
    await database.close();
    await drop();
  });

  test.each([
    ["api_key", "keyed"],
    ["basic", "named"],
    ["oauth2", "login"],
  ] as const)("a document that takes %s means %s", async (kind, id) => {
    const found = await providers.find({ provider: "https://api.example/authorize", kind });
    expect(found?.id).toBe(id);
  });

  test("a document whose kind nobody set up means the one that is there", async () => {
    await providers.remove("named");
    const found = await providers.find({ provider: "https://api.example/v1", kind: "basic" });
    expect(found?.id).toBe("keyed");
  });
});
