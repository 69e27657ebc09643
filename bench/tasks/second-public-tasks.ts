/**
 * Sixty tasks over the tools of nine more public MCP servers (`public-servers.ts`), written on 2026-11-18. Forty were written before any
 * was sent: the first twenty were sent once and then looked at, the second twenty once after a repair of classes. The last twenty were
 * written after a second repair and sent once.
 */
import type { DeskTask } from "./tasks.ts";

const to = (
  task: string,
  capability: string,
  tool: string,
  payload: NonNullable<DeskTask["payload"]>,
): DeskTask => ({ task, expected: [capability, tool], payload });

const webshop = { owner: "acme", repo: "webshop" };
const tent = { owner: "octo", repo: "tent" };

export const LOOKED_AT: readonly DeskTask[] = [
  to(
    "open an issue in acme/webshop on github titled Checkout button does nothing, with the labels bug and checkout",
    "github",
    "create_issue",
    { ...webshop, title: "Checkout button does nothing", labels: ["bug", "checkout"] },
  ),
  to("fork microsoft/playwright on github", "github", "fork_repository", {
    owner: "microsoft",
    repo: "playwright",
  }),
  to("merge pull request 218 of acme/webshop with squash", "github", "merge_pull_request", {
    ...webshop,
    pull_number: 218,
    merge_method: "squash",
  }),
  to("show me the closed pull requests in rust-lang/cargo", "github", "list_pull_requests", {
    owner: "rust-lang",
    repo: "cargo",
    state: "closed",
  }),
  to(
    "comment on issue 42 in acme/webshop: I can reproduce this on Firefox 128",
    "github",
    "add_issue_comment",
    {
      ...webshop,
      issue_number: 42,
      body: "I can reproduce this on Firefox 128",
    },
  ),
  to("create a private github repository named tide-tables with a readme", "github", "create_repository", {
    name: "tide-tables",
    private: true,
    autoInit: true,
  }),
  to("create the branch hotfix/login from develop in acme/webshop", "github", "create_branch", {
    ...webshop,
    branch: "hotfix/login",
    from_branch: "develop",
  }),
  to("show the file src/app.ts of acme/webshop on the branch release-2", "github", "get_file_contents", {
    ...webshop,
    path: "src/app.ts",
    branch: "release-2",
  }),
  to("ferme le ticket 87 du dépôt acme/webshop sur github", "github", "update_issue", {
    ...webshop,
    issue_number: 87,
    state: "closed",
  }),
  to(
    "zeig mir die letzten 50 Zeilen der Logs vom Pod web-7d9f im Namespace shop",
    "kubernetes",
    "kubectl_logs",
    { resourceType: "pod", name: "web-7d9f", namespace: "shop", tail: 50 },
  ),
  to("scale the deployment api in the namespace prod to 5 replicas", "kubernetes", "kubectl_scale", {
    name: "api",
    namespace: "prod",
    replicas: 5,
  }),
  to("restart the rollout of the deployment checkout in namespace shop", "kubernetes", "kubectl_rollout", {
    subCommand: "restart",
    resourceType: "deployment",
    name: "checkout",
    namespace: "shop",
  }),
  to("list all pods in all kubernetes namespaces as yaml", "kubernetes", "kubectl_get", {
    resourceType: "pods",
    allNamespaces: true,
    output: "yaml",
  }),
  to("drena el nodo worker-3 de kubernetes", "kubernetes", "node_management", {
    operation: "drain",
    nodeName: "worker-3",
  }),
  to(
    "forward local port 8080 to port 80 of the service frontend in namespace shop",
    "kubernetes",
    "port_forward",
    {
      resourceType: "service",
      resourceName: "frontend",
      localPort: 8080,
      targetPort: 80,
      namespace: "shop",
    },
  ),
  to(
    "search the web with brave for wooden bicycle makers in Portugal, 5 results",
    "brave",
    "brave_web_search",
    {
      query: "wooden bicycle makers in Portugal",
      count: 5,
    },
  ),
  to("find bakeries near Alexanderplatz with brave", "brave", "brave_local_search", {
    query: "bakeries near Alexanderplatz",
  }),
  to(
    "create a linear issue for team TEAM-77 titled Export fails for large files with priority 2",
    "linear",
    "linear_create_issue",
    { title: "Export fails for large files", teamId: "TEAM-77", priority: 2 },
  ),
  to("add a comment to the linear issue ENG-341: fixed in build 99", "linear", "linear_add_comment", {
    issueId: "ENG-341",
    body: "fixed in build 99",
  }),
  to(
    "which linear issues are assigned to user usr_81, including archived ones?",
    "linear",
    "linear_get_user_issues",
    { userId: "usr_81", includeArchived: true },
  ),
];

export const HELD_OUT: readonly DeskTask[] = [
  to("post in discord channel 81230045: The raid starts at 8", "discord", "discord_send_message", {
    channelId: "81230045",
    content: "The raid starts at 8",
  }),
  to("react with 👍 to message 7755 in discord channel 3301", "discord", "discord_add_reaction", {
    channelId: "3301",
    messageId: "7755",
    emoji: "👍",
  }),
  to(
    'search discord channel 3301 for "summer party", only messages that have images',
    "discord",
    "discord_search_messages",
    { channelId: "3301", query: "summer party", hasImages: true },
  ),
  to("lösch die Nachricht 9921 im Discord-Kanal 3301", "discord", "discord_delete_message", {
    channelId: "3301",
    messageId: "9921",
  }),
  to("set my discord status to invisible", "discord", "discord_update_presence", { status: "invisible" }),
  to("search tavily for heat pump subsidies in Denmark, 8 results", "tavily", "tavily_search", {
    query: "heat pump subsidies in Denmark",
    max_results: 8,
  }),
  to(
    "extrae con tavily el contenido de https://example.org/a y https://example.org/b",
    "tavily",
    "tavily_extract",
    { urls: ["https://example.org/a", "https://example.org/b"] },
  ),
  to(
    "crawl https://docs.example.org with tavily, at most 3 levels deep and no more than 40 pages",
    "tavily",
    "tavily_crawl",
    { url: "https://docs.example.org", max_depth: 3, limit: 40 },
  ),
  to(
    "map the site https://example.com with firecrawl including subdomains, limit 200",
    "firecrawl",
    "firecrawl_map",
    { url: "https://example.com", includeSubdomains: true, limit: 200 },
  ),
  to(
    "scrape https://example.com/pricing with firecrawl, only the main content",
    "firecrawl",
    "firecrawl_scrape",
    {
      url: "https://example.com/pricing",
      onlyMainContent: true,
    },
  ),
  to("add a task to todoist: Buy a birthday present for Nora", "todoist", "create_tasks", {
    items: [{ content: "Buy a birthday present for Nora" }],
  }),
  to("delete the todoist project named Garden", "todoist", "delete_projects", {
    items: [{ name: "Garden" }],
  }),
  to(
    "approve pull request 31 of octo/tent with the comment Looks good to me",
    "github",
    "create_pull_request_review",
    { ...tent, pull_number: 31, body: "Looks good to me", event: "APPROVE" },
  ),
  to("montre les fichiers modifiés par la pull request 12 de octo/tent", "github", "get_pull_request_files", {
    ...tent,
    pull_number: 12,
  }),
  to(
    "open a draft pull request in octo/tent from feature/rain to main titled Keep the rain out",
    "github",
    "create_pull_request",
    { ...tent, head: "feature/rain", base: "main", title: "Keep the rain out", draft: true },
  ),
  to("borra el pod cache-0 del namespace data", "kubernetes", "kubectl_delete", {
    resourceType: "pod",
    name: "cache-0",
    namespace: "data",
  }),
  to("describe the service ingress-nginx in the namespace edge", "kubernetes", "kubectl_describe", {
    resourceType: "service",
    name: "ingress-nginx",
    namespace: "edge",
  }),
  to(
    "uninstall the helm release grafana from the namespace monitoring",
    "kubernetes",
    "uninstall_helm_chart",
    {
      name: "grafana",
      namespace: "monitoring",
    },
  ),
  to("change the status of the linear issue ENG-12 to Done", "linear", "linear_update_issue", {
    id: "ENG-12",
    status: "Done",
  }),
  to("which properties do hubspot contacts have?", "hubspot", "hubspot-list-properties", {
    objectType: "contacts",
  }),
];

export const LAST: readonly DeskTask[] = [
  to("show me pull request 77 of octo/tent", "github", "get_pull_request", { ...tent, pull_number: 77 }),
  to("search github for repositories about tide prediction", "github", "search_repositories", {
    query: "tide prediction",
  }),
  to("reopen issue 15 in acme/webshop", "github", "update_issue", {
    ...webshop,
    issue_number: 15,
    state: "open",
  }),
  to("list the commits of octo/tent", "github", "list_commits", tent),
  to("¿está verde la pull request 9 de octo/tent? mira el estado", "github", "get_pull_request_status", {
    ...tent,
    pull_number: 9,
  }),
  to("get the details of issue 301 in rust-lang/cargo", "github", "get_issue", {
    owner: "rust-lang",
    repo: "cargo",
    issue_number: 301,
  }),
  to("describe the pod web-7d9f in the namespace shop", "kubernetes", "kubectl_describe", {
    resourceType: "pod",
    name: "web-7d9f",
    namespace: "shop",
  }),
  to("skaliere das Deployment worker im Namespace batch auf 3 Replicas", "kubernetes", "kubectl_scale", {
    name: "worker",
    namespace: "batch",
    replicas: 3,
  }),
  to("undo the rollout of the statefulset queue in the namespace prod", "kubernetes", "kubectl_rollout", {
    subCommand: "undo",
    resourceType: "statefulset",
    name: "queue",
    namespace: "prod",
  }),
  to("cordon the kubernetes node worker-9", "kubernetes", "node_management", {
    operation: "cordon",
    nodeName: "worker-9",
  }),
  to("show the last 20 messages of discord channel 5512", "discord", "discord_get_message_history", {
    channelId: "5512",
    limit: 20,
  }),
  to(
    'edit message 812 in discord channel 5512 to say "meeting moved to room 4"',
    "discord",
    "discord_edit_message",
    { channelId: "5512", messageId: "812", content: "meeting moved to room 4" },
  ),
  to("quita de mis amigos de discord al usuario 9981", "discord", "discord_remove_friend", {
    userId: "9981",
  }),
  to("search the web with tavily for the history of lighthouses", "tavily", "tavily_search", {
    query: "history of lighthouses",
  }),
  to("map https://example.org with tavily, limit 25", "tavily", "tavily_map", {
    url: "https://example.org",
    limit: 25,
  }),
  to("check the status of the firecrawl crawl job-5521", "firecrawl", "firecrawl_check_crawl_status", {
    id: "job-5521",
  }),
  to("find a dentist in Leipzig with brave, 3 results", "brave", "brave_local_search", {
    query: "dentist in Leipzig",
    count: 3,
  }),
  to("close the todoist task with the id 9934", "todoist", "close_tasks", { items: [{ task_id: "9934" }] }),
  to("set the priority of the linear issue ENG-7 to 1", "linear", "linear_update_issue", {
    id: "ENG-7",
    priority: 1,
  }),
  to("search linear issues about memory leaks with the label bug", "linear", "linear_search_issues", {
    query: "memory leaks",
    labels: ["bug"],
  }),
];
