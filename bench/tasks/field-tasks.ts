/**
 * Tasks for a running server with packages that nothing here was built for, written on 2026-11-19 before any was sent:
 *   capstan wrap numfmt, pygmentize (Debian) and npm:html-minifier-terser
 *   capstan install npx @dangahagan/weather-mcp@1.23.0 --kind mcp --run-to-describe
 *   capstan install collections.yaml        (docs/swagger of github.com/knadh/listmonk, whose id becomes `listmonk`)
 * `node bench/tasks/field.ts first http://127.0.0.1:4400` sends a set as it is.
 */
import { ANY, type DeskTask } from "./tasks.ts";

const to = (
  task: string,
  capability: string,
  tool: string,
  payload: NonNullable<DeskTask["payload"]>,
): DeskTask => ({ task, expected: [capability, tool], payload });

export const FIRST: readonly DeskTask[] = [
  to(
    "add nadia.okafor@example.org as a subscriber named Nadia Okafor to list 4",
    "listmonk",
    "createSubscriber",
    { email: "nadia.okafor@example.org", name: "Nadia Okafor", lists: [4] },
  ),
  to("delete subscriber 318 from listmonk", "listmonk", "deleteSubscriberById", { id: 318 }),
  to("pause campaign 12", "listmonk", "updateCampaignStatusById", { id: 12, status: "paused" }),
  to("show me the cancelled campaigns, 20 per page", "listmonk", "getCampaigns", {
    status: ["cancelled"],
    per_page: 20,
  }),
  to("make a private mailing list called Volunteers 2027 with double opt-in", "listmonk", "createList", {
    name: "Volunteers 2027",
    type: "private",
    optin: "double",
  }),
  to("send subscriber 77 the opt-in confirmation mail again", "listmonk", "subscriberSendOptinById", {
    id: 77,
  }),
  to("supprime la liste 9 de listmonk", "listmonk", "deleteListById", { list_id: 9 }),
  to("hour by hour weather forecast for Lisbon for the next 3 days", "weather_mcp", "get_forecast", {
    city_name: "Lisbon",
    days: 3,
    granularity: "hourly",
  }),
  to("are there any storm warnings for Tampa, Florida right now?", "weather_mcp", "get_alerts", {
    city_name: "Tampa, Florida",
  }),
  to("find the coordinates of Reykjavik, at most 2 results", "weather_mcp", "search_location", {
    query: "Reykjavik",
    limit: 2,
  }),
  to("format 1536000 with numfmt to iec", "numfmt", "numfmt_run", { number: ["1536000"], to: "iec" }),
  to("highlight src/main.py as html into main.html with pygmentize", "pygmentize", "pygmentize_run", {
    inputfile: "src/main.py",
    f: "html",
    o: "main.html",
  }),
  to(
    "minify the html in index.html, remove comments and collapse whitespace",
    "html-minifier-terser",
    "html-minifier-terser_run",
    { files: ["index.html"], remove_comments: true, collapse_whitespace: true },
  ),
  to("read the file minutes/march.txt", "session_file_system", "read_file", { path: "minutes/march.txt" }),
  to("search all files for the word overdue", "session_file_system", "grep_files", { pattern: "overdue" }),
  to("write 'back at three' into door-note.txt", "session_file_system", "write_file", {
    path: "door-note.txt",
    content: "back at three",
  }),
  to("¿qué hora es en Bogotá?", "current_time", "get_current_time", { timezone: "America/Bogota" }),
  to("remember that my shoe size is 43", "memory", "remember_fact", { text: ANY }),
  to("what is 17.5 divided by 2.5", "test_math", "divide", { a: 17.5, b: 2.5 }),
  to(
    "send the event order.shipped to the webhook https://hooks.example.net/orders",
    "webhook.dispatch",
    "webhook_dispatch",
    { url: "https://hooks.example.net/orders", event: "order.shipped" },
  ),
];
