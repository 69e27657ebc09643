/**
 * Thirty-four more tasks for a running server, written on 2026-11-19 before any was sent, over packages that nothing here had used:
 *   capstan install mcp.json --run-to-describe   (npx @roychri/mcp-server-asana@1.8.0 as `asana`, hevy-mcp@6.1.13 as `hevy`,
 *                                                 @notionhq/notion-mcp-server@2.5.2 as `notion`)
 *   capstan install openapi.json                 (docs of github.com/advplyr/audiobookshelf, whose id becomes `audiobookshelf_api`)
 *   capstan wrap csplit                          (GNU coreutils)
 */
import { ANY, type DeskTask } from "./tasks.ts";

const to = (
  task: string,
  capability: string,
  tool: string,
  payload: NonNullable<DeskTask["payload"]> = {},
): DeskTask => ({ task, expected: [capability, tool], payload });
const none = (task: string): DeskTask => ({ task, expected: null });

const BOOKS = "audiobookshelf_api";
const FILES = "session_file_system";

export const SECOND: readonly DeskTask[] = [
  to(
    "create an asana task called Order new chairs in project 1204500876, due 2027-01-15",
    "asana",
    "asana_create_task",
    {
      project_id: "1204500876",
      name: "Order new chairs",
      due_on: "2027-01-15",
    },
  ),
  to("mark asana task 778812 as completed", "asana", "asana_update_task", {
    task_id: "778812",
    completed: true,
  }),
  to("comment on asana task 778812: The supplier ships on Monday", "asana", "asana_create_task_story", {
    task_id: "778812",
    text: "The supplier ships on Monday",
  }),
  to("which sections does project 1204500876 have in asana?", "asana", "asana_get_project_sections", {
    project_id: "1204500876",
  }),
  to("remove tag 5566 from task 778812", "asana", "asana_remove_tag_from_task", {
    task_gid: "778812",
    tag_gid: "5566",
  }),
  to("rename section 3401 to Waiting for parts", "asana", "asana_update_section", {
    section_id: "3401",
    name: "Waiting for parts",
  }),
  to("lösche die Asana-Aufgabe 99120", "asana", "asana_delete_task", { task_id: "99120" }),
  to(
    "ajoute une sous-tâche « Réserver la salle » à la tâche 778812 dans Asana",
    "asana",
    "asana_create_subtask",
    {
      parent_task_id: "778812",
      name: "Réserver la salle",
    },
  ),
  to(
    "post a yellow status update on project 1204500876: Delivery slips by a week",
    "asana",
    "asana_create_project_status",
    {
      project_gid: "1204500876",
      text: "Delivery slips by a week",
      color: "yellow",
    },
  ),
  to("show my last 5 workouts", "hevy", "get-workouts", { page: 1, page_size: 5 }),
  to("log my weight for 2026-11-18: 81.4 kg", "hevy", "create-body-measurement", {
    date: "2026-11-18",
    weight_kg: 81.4,
  }),
  to("find exercises for the hamstrings with curl in their name", "hevy", "search-exercise-templates", {
    query: "curl",
    primary_muscle_group: "hamstrings",
  }),
  to("summarize my training of the past 6 weeks", "hevy", "get-training-summary", { weeks: 6 }),
  to("what did I measure on 3 October 2026?", "hevy", "get-body-measurement", { date: "2026-10-03" }),
  to("busca rutinas con la palabra espalda", "hevy", "search-routines", { query: "espalda" }),
  to("search notion for pages about the summer party", "notion", "API-post-search", {
    query: "the summer party",
  }),
  to(
    "read notion page 1a2b3c4d-0000-4000-8000-123456789abc as markdown",
    "notion",
    "API-retrieve-page-markdown",
    {
      page_id: "1a2b3c4d-0000-4000-8000-123456789abc",
    },
  ),
  to("delete the notion block 9f8e7d6c-0000-4000-8000-abcdefabcdef", "notion", "API-delete-a-block", {
    block_id: "9f8e7d6c-0000-4000-8000-abcdefabcdef",
  }),
  to("who are the users of our notion workspace? 50 per page", "notion", "API-get-users", { page_size: 50 }),
  to("look for the episode titled The Long Winter in podcast li_bufnnmp4y5o2gbbxfm", BOOKS, "findEpisode", {
    id: "li_bufnnmp4y5o2gbbxfm",
    title: "The Long Winter",
  }),
  to("empty the download queue of podcast li_bufnnmp4y5o2gbbxfm", BOOKS, "clearEpisodeDownloadQueue", {
    id: "li_bufnnmp4y5o2gbbxfm",
  }),
  to(
    "list 25 items of library e4bb1afb-4a4f-4dd6-8be0-e615d233185b sorted by size",
    BOOKS,
    "getLibraryItems",
    {
      id: "e4bb1afb-4a4f-4dd6-8be0-e615d233185b",
      limit: 25,
      sort: "size",
    },
  ),
  to("rename the author aut_z3leimgybl7uf3y4ab to Terry Goodkind", BOOKS, "updateAuthorById", {
    id: "aut_z3leimgybl7uf3y4ab",
    name: "Terry Goodkind",
  }),
  to("有声书服务器上有哪些图书馆？", BOOKS, "getLibraries"),
  to("apaga a notificação notification-settings-7 do audiobookshelf", BOOKS, "deleteNotification", {
    id: "notification-settings-7",
  }),
  to(
    "split server.log at every line that matches /ERROR/ with csplit, prefix part-",
    "csplit",
    "csplit_run",
    {
      file: "server.log",
      pattern: ["/ERROR/"],
      prefix: "part-",
    },
  ),
  to("how big is the file exports/q3.csv?", FILES, "stat_file", { path: "exports/q3.csv" }),
  to("liste les fichiers du dossier factures", FILES, "list_directory", { path: "factures" }),
  to("how late is it in Nairobi right now", "current_time", "get_current_time", {
    timezone: "Africa/Nairobi",
  }),
  to("merke dir, dass meine Allergie Haselnüsse ist", "memory", "remember_fact", { text: ANY }),
  none("fdsjkl qwpoei zmxncb"),
  none("блорг шмыг фыва олдж"),
  none("book me a seat on the 9:40 train to Lyon"),
  none("dreh die Heizung im Schlafzimmer auf 19 Grad"),
];
