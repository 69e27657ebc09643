/** A capability without code: one document, registered over the API and available at once. */
import { withServer } from "./with-server.ts";

const document = {
  id: "tides",
  name: "Tides",
  description: "Tide times of a harbour.",
  version: "1.0.0",
  prompt: "Use tide_times for anything about tides.",
  base_url: "https://tides.example.com",
  tools: [
    {
      name: "tide_times",
      description: "High and low water of one harbour.",
      method: "GET",
      path: "/v1/tides/{harbour}",
      parameters: { harbour: { in: "path", type: "string", required: true } },
    },
  ],
};

await withServer(async (url) => {
  const response = await fetch(`${url}/v1/capabilities`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(document),
  });
  const registered = await response.json();
  console.log(
    response.status,
    registered.id,
    registered.tools[0].name,
    JSON.stringify(registered.tools[0].input_schema),
  );
  const found = await (await fetch(`${url}/v1/capabilities?q=tide`)).json();
  console.log(`in the catalog: ${found.items[0].name}`);
});
