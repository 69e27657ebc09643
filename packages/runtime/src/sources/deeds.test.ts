import { riskOf } from "@capstan/core/internal";
import { describe, expect, test } from "vitest";
import { loadOpenApi } from "./openapi.ts";

const ROWS = [
  ["/queue/{id}/clear", { operationId: "queueOf", summary: "The queue." }],
  ["/queue/{id}", { operationId: "clearQueue" }],
  ["/queue/{id}/test", { summary: "Send a test message." }],
  ["/scans/{id}/now", { summary: "Start a scan." }],
] as const;
const READS = [
  ["/queue/{id}", { operationId: "getQueue", summary: "The messages that will be sent." }],
  ["/stops", { operationId: "stopTimes" }],
  ["/deleted-items", { operationId: "listDeleted", summary: "Deleted items." }],
] as const;

function toolOf(path: string, operation: object) {
  const loaded = loadOpenApi(
    JSON.stringify({
      openapi: "3.0.0",
      info: { title: "Queues", version: "1.0.0" },
      servers: [{ url: "https://queues.example" }],
      paths: { [path]: { get: operation } },
    }),
  );
  if (!loaded.ok) throw new Error(loaded.failure.message);
  const [tool] = loaded.value.tools;
  if (!tool) throw new Error("no tool");
  return tool;
}

describe("a GET that does something", () => {
  test.each(ROWS)("%s %j is no reading: it is asked about, and not repeated", (path, operation) => {
    const tool = toolOf(path, operation);
    expect(riskOf(tool)).toBe("write");
    expect(tool).toMatchObject({ policy: "approve", idempotent: false });
  });

  test.each(READS)("%s %j reads", (path, operation) => {
    expect(riskOf(toolOf(path, operation))).toBe("read");
  });
});
