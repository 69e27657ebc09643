/**
 * Twenty tasks over the tools of seven public MCP servers (`public-servers.ts`), in seven languages, written on 2026-11-18 before any was
 * sent. The first ten may be looked at; the second ten are held out and are sent once, after a repair of classes.
 */
import type { DeskTask } from "./tasks.ts";

const to = (
  task: string,
  capability: string,
  tool: string,
  payload: NonNullable<DeskTask["payload"]>,
): DeskTask => ({ task, expected: [capability, tool], payload });

export const LOOKED_AT: readonly DeskTask[] = [
  to(
    "how do I get from Union Station, Denver to Red Rocks Amphitheatre by bike?",
    "maps",
    "maps_directions",
    {
      origin: "Union Station, Denver",
      destination: "Red Rocks Amphitheatre",
      mode: "bicycling",
    },
  ),
  to("what are the coordinates of 10 Downing Street, London?", "maps", "maps_geocode", {
    address: "10 Downing Street, London",
  }),
  to('post "deploy is done" to the slack channel C04AB12CD', "slack", "slack_post_message", {
    channel_id: "C04AB12CD",
    text: "deploy is done",
  }),
  to(
    "find an airbnb in Porto for 2 adults and 1 child from April 10 to April 14, at most 120 a night",
    "airbnb",
    "airbnb_search",
    {
      location: "Porto",
      adults: 2,
      children: 1,
      checkin: "2026-04-10",
      checkout: "2026-04-14",
      maxPrice: 120,
    },
  ),
  to(
    "open a gitlab issue in project 4711 titled Login page is blank on Safari with the labels bug and frontend",
    "gitlab",
    "create_issue",
    { project_id: "4711", title: "Login page is blank on Safari", labels: ["bug", "frontend"] },
  ),
  to("Zeig mir die Kommentare der Trello-Karte 5f1c2ab9", "trello", "get_card_comments", {
    cardId: "5f1c2ab9",
  }),
  to("crea una rama llamada fix-login en el proyecto grupo/tienda de gitlab", "gitlab", "create_branch", {
    project_id: "grupo/tienda",
    branch: "fix-login",
  }),
  to("archive la carte Trello 62aa01fe", "trello", "archive_card", { cardId: "62aa01fe" }),
  to("mostra as últimas 20 mensagens do canal C77XY99 no slack", "slack", "slack_get_channel_history", {
    channel_id: "C77XY99",
    limit: 20,
  }),
  to(
    "search the table tblOrders of the airtable base appK3 for records that contain Sundberg",
    "airtable",
    "search_records",
    { baseId: "appK3", tableId: "tblOrders", searchTerm: "Sundberg" },
  ),
];

export const HELD_OUT: readonly DeskTask[] = [
  to("walking directions from the Louvre to Gare de Lyon please", "maps", "maps_directions", {
    origin: "Louvre",
    destination: "Gare de Lyon",
    mode: "walking",
  }),
  to("which address is at latitude 48.8584 and longitude 2.2945?", "maps", "maps_reverse_geocode", {
    latitude: 48.8584,
    longitude: 2.2945,
  }),
  to(
    "reply in thread 1718045123.000200 of slack channel C0DEV42: I will look at it after lunch",
    "slack",
    "slack_reply_to_thread",
    { channel_id: "C0DEV42", thread_ts: "1718045123.000200", text: "I will look at it after lunch" },
  ),
  to("move the trello card 77fe21 to the list 90bc44", "trello", "move_card", {
    cardId: "77fe21",
    listId: "90bc44",
  }),
  to(
    "create a private gitlab repository called invoice-parser, initialize it with a readme",
    "gitlab",
    "create_repository",
    { name: "invoice-parser", visibility: "private", initialize_with_readme: true },
  ),
  to(
    "Suche eine Airbnb-Unterkunft in Leipzig vom 3. Mai bis 6. Mai für 4 Erwachsene und einen Hund",
    "airbnb",
    "airbnb_search",
    { location: "Leipzig", checkin: "2026-05-03", checkout: "2026-05-06", adults: 4, pets: 1 },
  ),
  to(
    "agrega el comentario «falta la factura de marzo» a la tarjeta 8ab1cd de trello",
    "trello",
    "add_comment",
    { cardId: "8ab1cd", text: "falta la factura de marzo" },
  ),
  to(
    "montre le fichier src/index.ts du projet 812 de gitlab sur la branche develop",
    "gitlab",
    "get_file_contents",
    { project_id: "812", file_path: "src/index.ts", ref: "develop" },
  ),
  to("exclua o evento ev_93kd do calendário primary no google calendar", "gcal", "delete-event", {
    calendarId: "primary",
    eventId: "ev_93kd",
  }),
  to("列出 airtable base appQ71 里的所有表", "airtable", "list_tables", { baseId: "appQ71" }),
];
