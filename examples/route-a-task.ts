/** Routes a task to a capability: the ranking with reasons, the plan, and then the result. */
import { createApi } from "@capstan/client";
import { value } from "./talk.ts";
import { withServer } from "./with-server.ts";

await withServer(async (url) => {
  const api = createApi({ url });
  const task = "what time is it in Tokyo?";
  const dry = value(await api.route.execute({ task, dryRun: true }));
  for (const { capability, score, reasons } of dry.matchedCapabilities) {
    console.log(`${score.toFixed(2)} ${capability.id}: ${reasons.join(", ")}`);
  }
  console.log("plan:", JSON.stringify(dry.plan[0]?.payload));

  const done = value(await api.route.execute({ task }));
  console.log(`${done.status}:`, JSON.stringify(done.execution.steps[0]?.data));

  const other = value(await api.route.execute({ task: "tell me a joke about lighthouses", dryRun: true }));
  console.log(`no match goes to ${other.intent.label}: ${other.matchedCapabilities[0]?.reasons.join(", ")}`);
});
