/**
 * Thirty-two more tasks, written on 2026-11-19 after the repairs that followed `SECOND` and before any was sent, over other packages:
 *   capstan install mcp.json --run-to-describe   (npx shopify-mcp@1.0.8 as `shopify`, @kazuph/mcp-taskmanager@1.1.1 as `taskmanager`,
 *                                                 @playwright/mcp@0.0.83 as `playwright`)
 *   capstan install firefly.yaml                 (dist/firefly-iii-v6.6.2-v1.yaml of github.com/firefly-iii/api-docs)
 *   capstan wrap sort, tar, sqlite3, bc, npm:json2csv, npm:terser and ten others
 */
import { ANY, type DeskTask } from "./tasks.ts";

const to = (
  task: string,
  capability: string,
  tool: string,
  payload: NonNullable<DeskTask["payload"]> = {},
): DeskTask => ({ task, expected: [capability, tool], payload });
const none = (task: string): DeskTask => ({ task, expected: null });

const MONEY = "firefly_iii_api_vv6_6_2";

export const THIRD: readonly DeskTask[] = [
  to("create a budget called Holidays 2027 in firefly", MONEY, "storeBudget", { name: "Holidays 2027" }),
  to("delete bill 41", MONEY, "deleteBill", { id: "41" }),
  to("rename category 7 to Pets", MONEY, "updateCategory", { id: "7", name: "Pets" }),
  to("list my transactions from 2026-10-01 to 2026-10-31", MONEY, "listTransaction", {
    start: "2026-10-01",
    end: "2026-10-31",
  }),
  to("show account 12 of firefly", MONEY, "getAccount", { id: "12" }),
  to("add the tag reimbursable in firefly", MONEY, "storeTag", { tag: "reimbursable" }),
  to("apply rule 18 to my transactions", MONEY, "fireRule", { id: "18" }),
  to("make the euro the primary currency of firefly", MONEY, "primaryCurrency", { code: "EUR" }),
  to("supprime l'utilisateur 5 de firefly", MONEY, "deleteUser", { id: "5" }),
  to("muéstrame los presupuestos, 20 por página", MONEY, "listBudget", { limit: 20 }),
  to("welche Daueraufträge habe ich in Firefly?", MONEY, "listRecurrence"),
  to("show me the cancelled orders in the shop", "shopify", "get-orders", { status: "cancelled", limit: 10 }),
  to("find shopify products with candle in the title, at most 5", "shopify", "get-products", {
    searchTitle: "candle",
    limit: 5,
  }),
  to("change the email of customer 6940095564 to lena.ortiz@example.net", "shopify", "update-customer", {
    id: "6940095564",
    email: "lena.ortiz@example.net",
  }),
  to("add a draft product titled Beeswax Candle from the vendor Hivery", "shopify", "create-product", {
    title: "Beeswax Candle",
    vendor: "Hivery",
    status: "DRAFT",
  }),
  to("lösche das Produkt gid://shopify/Product/8817", "shopify", "delete-product", {
    id: "gid://shopify/Product/8817",
  }),
  to("what did customer 6940095564 order?", "shopify", "get-customer-orders", {
    customerId: "6940095564",
    limit: 10,
  }),
  to("mark task-14 of request req-3 as done", "taskmanager", "mark_task_done", {
    requestId: "req-3",
    taskId: "task-14",
  }),
  to("what is the next task of req-3?", "taskmanager", "get_next_task", { requestId: "req-3" }),
  to("list all requests of the task manager", "taskmanager", "list_requests"),
  to("open https://example.com/prices in the browser", "playwright", "browser_navigate", {
    url: "https://example.com/prices",
  }),
  to("take a screenshot of the full page as jpeg", "playwright", "browser_take_screenshot", {
    type: "jpeg",
    fullPage: true,
    scale: "css",
  }),
  to("make the browser window 1280 by 720", "playwright", "browser_resize", { width: 1280, height: 720 }),
  to("press the Escape key in the browser", "playwright", "browser_press_key", { key: "Escape" }),
  to("sort names.txt in reverse order and write the result to sorted.txt", "sort", "sort_run", {
    file: ["names.txt"],
    reverse: true,
    output: "sorted.txt",
  }),
  to("convert orders.json to csv with json2csv, write it to orders.csv", "json2csv", "json2csv_run", {
    input: "orders.json",
    output: "orders.csv",
  }),
  to("remember that our wifi password hint is grandma's cat", "memory", "remember_fact", { text: ANY }),
  to("quelle heure est-il à Montréal ?", "current_time", "get_current_time", { timezone: "America/Toronto" }),
  to("multiply 12.5 by 8", "test_math", "multiply", { a: 12.5, b: 8 }),
  none("zxcv bnmm qqqq asdfgh"),
  none("ふがほげ ぴよぴよ もげら"),
  none("water the tomatoes on the balcony every morning"),
];
