/**
 * 40 more tasks, written on 2026-11-19 before any was sent, over packages that nothing here had used:
 *   capstan install mcp.json --run-to-describe   (npx @shortcut/mcp@0.25.0 as `shortcut`, @bitwarden/mcp-server@2026.7.0 as
 *                                                 `bitwarden`, mcp-wordpress@3.3.35 as `wordpress`)
 *   capstan install immich.json                  (open-api/immich-openapi-specs.json of github.com/immich-app/immich, 3.1.0)
 */
import { ANY, type DeskTask } from "./tasks.ts";

const to = (
  task: string,
  capability: string,
  tool: string,
  payload: NonNullable<DeskTask["payload"]> = {},
): DeskTask => ({ task, expected: [capability, tool], payload });
const none = (task: string): DeskTask => ({ task, expected: null });

const ALBUM = "4f0f7a0e-9c1b-4c57-8a55-0d3b7b3f9a11";
const PHOTO = "b7c1e2aa-52d4-4c0c-9f3e-6a1d2c3b4e5f";
const ORGANISATION = "0d9c1f3e-7a2b-4b61-9a5e-1c2d3e4f5a6b";

export const FOURTH: readonly DeskTask[] = [
  to("show me story 5120", "shortcut", "stories-get-by-id", { storyPublicId: 5120 }),
  to("who changed story 871, and when?", "shortcut", "stories-get-history", { storyPublicId: 871 }),
  to("comment on epic 44: The design is approved.", "shortcut", "epics-create-comment", {
    epicPublicId: 44,
    text: "The design is approved.",
  }),
  to("create an iteration called Sprint 19 from 2026-12-01 to 2026-12-14", "shortcut", "iterations-create", {
    name: "Sprint 19",
    startDate: "2026-12-01",
    endDate: "2026-12-14",
  }),
  to("story 310 is blocked by story 298", "shortcut", "stories-add-relation", {
    storyPublicId: 310,
    relatedStoryPublicId: 298,
    relationshipType: "blocked by",
  }),
  to("assign story 77 to me", "shortcut", "stories-assign-current-user", { storyPublicId: 77 }),
  to('find the stories of type bug with "login" in the name', "shortcut", "stories-search", {
    type: "bug",
    name: "login",
  }),
  to("link https://example.com/spec/checkout to story 4410", "shortcut", "stories-add-external-link", {
    storyPublicId: 4410,
    externalLink: "https://example.com/spec/checkout",
  }),
  to("which epics are overdue?", "shortcut", "epics-search", { isOverdue: true }),
  to("lösche die Iteration 93", "shortcut", "iterations-delete", { iterationPublicId: 93 }),
  to("¿qué historias hay en el proyecto 12?", "shortcut", "projects-get-stories", { projectPublicId: 12 }),
  to("ajoute la tâche « Relire le contrat » à la story 655", "shortcut", "stories-add-task", {
    storyPublicId: 655,
    taskDescription: "Relire le contrat",
  }),
  to("create a label named customer-request", "shortcut", "labels-create", { name: "customer-request" }),
  to("set the estimate of story 1203 to 5", "shortcut", "stories-update", {
    storyPublicId: 1203,
    estimate: 5,
  }),

  to("generate a password of 24 characters without special characters", "bitwarden", "generate", {
    length: 24,
    special: false,
  }),
  to("make me a passphrase of 6 words separated by a dash", "bitwarden", "generate", {
    passphrase: true,
    words: 6,
    separator: "-",
  }),
  to("create a folder called Household in the vault", "bitwarden", "create_folder", { name: "Household" }),
  to("list the vault items with netflix in them", "bitwarden", "list", {
    type: "items",
    search: "netflix",
  }),
  to(
    "invite piet.devries@example.nl to our bitwarden organization as a plain user",
    "bitwarden",
    "invite_org_member",
    { email: "piet.devries@example.nl", type: 2 },
  ),
  to(
    `approve the device request 7c2b of the bitwarden organization ${ORGANISATION}`,
    "bitwarden",
    "device_approval_approve",
    { organizationId: ORGANISATION, requestId: "7c2b" },
  ),
  to("sperre den Tresor", "bitwarden", "lock"),
  to("remova a senha do send 91ab44", "bitwarden", "remove_send_password", { id: "91ab44" }),
  to("attach passport.pdf to the vault item 55e0c7", "bitwarden", "create_attachment", {
    filePath: "passport.pdf",
    itemId: "55e0c7",
  }),

  to("list the draft posts of my blog, 5 per page", "wordpress", "wp_list_posts", {
    status: "draft",
    per_page: 5,
  }),
  to("approve comment 882 on the blog", "wordpress", "wp_approve_comment", { id: 882 }),
  to(
    'create a wordpress page titled "Opening hours" with the content "Mon to Fri, 9 to 17"',
    "wordpress",
    "wp_create_page",
    { title: "Opening hours", content: "Mon to Fri, 9 to 17" },
  ),
  to("delete post 613 for good, not just into the trash", "wordpress", "wp_delete_post", {
    id: 613,
    force: true,
  }),
  to(
    "upload hero.jpg to the media library with the alt text Our bakery at dawn",
    "wordpress",
    "wp_upload_media",
    {
      file_path: "hero.jpg",
      alt_text: "Our bakery at dawn",
    },
  ),
  to("añade la etiqueta otoño en wordpress", "wordpress", "wp_create_tag", { name: "otoño" }),
  to("ブログのユーザーを一覧して", "wordpress", "wp_list_users"),
  to("rename category 14 to Recipes on the blog", "wordpress", "wp_update_category", {
    id: 14,
    name: "Recipes",
  }),

  to(`delete the photo album ${ALBUM}`, "immich", "deleteAlbum", { id: ALBUM }),
  to("make an album called Norway 2026", "immich", "createAlbum", { albumName: "Norway 2026" }),
  to(`put the photo ${PHOTO} into the album ${ALBUM}`, "immich", "addAssetsToAlbum", {
    id: ALBUM,
    ids: [PHOTO],
  }),
  to("empty the trash of my photos", "immich", "emptyTrash"),
  to("find the people named Greta in my photos", "immich", "searchPerson", { name: "Greta" }),
  to("how much storage is left on the photo server?", "immich", "getStorage"),

  to("why do cats purr?", "chat.general", "chat_general", { prompt: ANY }),
  none("blorp fnargle quixotl wum"),
  none("trim the hedge in front of the house before winter"),
];
