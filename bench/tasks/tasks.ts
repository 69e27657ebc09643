/**
 * A hundred tasks of everyday work over the desk, the built-ins and the catalog. Written before any of them was tried. Even places are
 * for looking at while something is built; every second one is held out: counted, never inspected.
 */
export type Expected = string | number | boolean | readonly unknown[] | typeof ANY;

/** Some text of the task, whichever: a prompt, a description in the user's words. */
export const ANY = Symbol("any text");

export interface DeskTask {
  readonly task: string;
  /** Capability and tool; nothing when no capability serves the task. */
  readonly expected: readonly [capability: string, tool: string] | null;
  /** What the call must hold; parameters that are not named here must be left out or have their default. */
  readonly payload?: Readonly<Record<string, Expected>>;
}

const to = (task: string, capability: string, tool: string, payload: DeskTask["payload"] = {}): DeskTask => ({
  task,
  expected: [capability, tool],
  payload,
});
const none = (task: string): DeskTask => ({ task, expected: null });

/** Dates in the tasks are read on this day, a Monday. */
export const TODAY = new Date("2026-03-02T09:00:00Z");

export const DESK_TASKS: readonly DeskTask[] = [
  to("convert report.pdf to markdown", "documents", "convert-to-markdown", { input_path: "report.pdf" }),
  to("turn notes.md into a pdf", "documents", "convert-markdown", { input_path: "notes.md", to: "pdf" }),
  to("make a Word document out of draft.md", "documents", "convert-markdown", {
    input_path: "draft.md",
    to: "docx",
  }),
  to("I need contract.docx as markdown", "documents", "convert-to-markdown", { input_path: "contract.docx" }),
  to("join a.pdf and b.pdf into all.pdf", "documents", "merge-pdf", {
    files: ["a.pdf", "b.pdf"],
    output: "all.pdf",
  }),
  to("merge cover.pdf, body.pdf and appendix.pdf, save it as book.pdf", "documents", "merge-pdf", {
    files: ["cover.pdf", "body.pdf", "appendix.pdf"],
    output: "book.pdf",
  }),
  to("take pages 3 to 7 out of manual.pdf", "documents", "extract-pages", {
    input_path: "manual.pdf",
    first: 3,
    last: 7,
  }),
  to("extract pages 10-12 from thesis.pdf", "documents", "extract-pages", {
    input_path: "thesis.pdf",
    first: 10,
    last: 12,
  }),
  to("how many words does essay.docx have?", "documents", "count-words", { path: "essay.docx" }),
  to("count the words in /drafts/chapter-1.md", "documents", "count-words", { path: "/drafts/chapter-1.md" }),
  to('translate "good morning" into French', "translator", "translate-text", {
    text: "good morning",
    target_language: "fr",
  }),
  to('how do you say "thank you very much" in Japanese', "translator", "translate-text", {
    text: "thank you very much",
    target_language: "ja",
  }),
  to('translate "Guten Tag" from German to Spanish', "translator", "translate-text", {
    text: "Guten Tag",
    target_language: "es",
    source_language: "de",
  }),
  to("please translate the following to Italian: see you tomorrow", "translator", "translate-text", {
    text: "see you tomorrow",
    target_language: "it",
  }),
  to("translate offer.docx into German", "translator", "translate-document", {
    input: "offer.docx",
    target_lang: "de",
  }),
  to("I need manual.pdf in Polish, save it as manual-pl.pdf", "translator", "translate-document", {
    input: "manual.pdf",
    target_lang: "pl",
    output: "manual-pl.pdf",
  }),
  to('what language is "dobrý den"?', "translator", "detect-language", { text: "dobrý den" }),
  to('which language is this text in: "buongiorno a tutti"', "translator", "detect-language", {
    text: "buongiorno a tutti",
  }),
  to("compare contract-v1.docx with contract-v2.docx", "legal", "compare", {
    original: "contract-v1.docx",
    modified: "contract-v2.docx",
  }),
  to("what changed between lease-old.pdf and lease-new.pdf? write it to changes.md", "legal", "compare", {
    original: "lease-old.pdf",
    modified: "lease-new.pdf",
    output: "changes.md",
  }),
  to("find the termination clauses in nda.pdf", "legal", "find-clauses", {
    path: "nda.pdf",
    clause: "termination",
  }),
  to("show me what agreement.docx says about liability", "legal", "find-clauses", {
    path: "agreement.docx",
    clause: "liability",
  }),
  to('black out "John Miller" and "Eva Stone" in statement.pdf', "legal", "redact", {
    path: "statement.pdf",
    names: ["John Miller", "Eva Stone"],
  }),
  to('redact the name "Ann Lee" in letter.docx', "legal", "redact", {
    path: "letter.docx",
    names: ["Ann Lee"],
  }),
  to("draw a bar chart of sales.csv", "visualize", "chart", { data: "sales.csv", kind: "bar" }),
  to("plot temperature.csv as a line chart and save it to temperature.png", "visualize", "chart", {
    data: "temperature.csv",
    kind: "line",
    output: "temperature.png",
  }),
  to("pie chart from budget.csv please", "visualize", "chart", { data: "budget.csv", kind: "pie" }),
  to("make a scatter plot of people.csv with x: height and y: weight", "visualize", "chart", {
    data: "people.csv",
    kind: "scatter",
    x: "height",
    y: "weight",
  }),
  to(
    'send an email to ann@example.com with the subject "Lunch" saying "Are you free at noon?"',
    "mail",
    "send-mail",
    { to: "ann@example.com", subject: "Lunch", body: "Are you free at noon?" },
  ),
  to("mail bob@example.org, subject: Report, body: It is attached.", "mail", "send-mail", {
    to: "bob@example.org",
    subject: "Report",
    body: "It is attached.",
  }),
  to("search my mail for the rental agreement", "mail", "search-mail", { query: "rental agreement" }),
  to("find emails from carol@example.com about the budget since 2026-02-01", "mail", "search-mail", {
    query: "budget",
    from: "carol@example.com",
    since: "2026-02-01",
  }),
  to("delete the message msg-4711", "mail", "delete-mail", { id: "msg-4711" }),
  to("show my unread messages", "mail", "unread-mail", {}),
  to("do I have any new mail?", "mail", "unread-mail", {}),
  to('put "Dentist" in my calendar tomorrow at 14:30', "calendar", "create-event", {
    title: "Dentist",
    date: "2026-03-03",
    time: "14:30",
  }),
  to("schedule an event called Team lunch on March 20 at 12:00", "calendar", "create-event", {
    title: "Team lunch",
    date: "2026-03-20",
    time: "12:00",
  }),
  to("what is in my calendar on Friday?", "calendar", "list-events", { date: "2026-03-06" }),
  to("which appointments do I have tomorrow", "calendar", "list-events", { date: "2026-03-03" }),
  to('cancel the event "Weekly review"', "calendar", "cancel-event", { title: "Weekly review" }),
  to("write an invoice for Acme over 1200 dollars", "invoices", "create-invoice", {
    customer: "Acme",
    amount: 1200,
    currency: "USD",
  }),
  to("invoice the customer Northwind for 450 euros", "invoices", "create-invoice", {
    customer: "Northwind",
    amount: 450,
    currency: "EUR",
  }),
  to("which invoices are overdue?", "invoices", "list-invoices", { state: "overdue" }),
  to("list all paid invoices", "invoices", "list-invoices", { state: "paid" }),
  to("pay invoice 2026-118", "invoices", "pay-invoice", { number: "2026-118" }),
  to("how much is 250 US dollars in euros?", "currency", "convert-currency", {
    amount: 250,
    from: "USD",
    to: "EUR",
  }),
  to("convert 99.50 EUR to GBP", "currency", "convert-currency", { amount: 99.5, from: "EUR", to: "GBP" }),
  to("what are 10000 yen in pounds", "currency", "convert-currency", {
    amount: 10000,
    from: "JPY",
    to: "GBP",
  }),
  to("resize photo.jpg to a width of 800 pixels", "images", "resize", { path: "photo.jpg", width: 800 }),
  to("scale banner.png to 1200 x 400", "images", "resize", { path: "banner.png", width: 1200, height: 400 }),
  to("rotate scan.png by 90 degrees", "images", "rotate", { path: "scan.png", degrees: 90 }),
  to("turn /pictures/cat.jpg upside down, 180 degrees", "images", "rotate", {
    path: "/pictures/cat.jpg",
    degrees: 180,
  }),
  to("save logo.png as webp", "images", "convert-image", { path: "logo.png", format: "webp" }),
  to("convert holiday.png into a jpeg", "images", "convert-image", { path: "holiday.png", format: "jpeg" }),
  to('open a ticket called "Login page is blank" with high priority', "tickets", "open-ticket", {
    title: "Login page is blank",
    priority: "high",
  }),
  to("file an urgent ticket: checkout fails on Safari", "tickets", "open-ticket", {
    title: "checkout fails on Safari",
    priority: "urgent",
  }),
  to("close ticket 218", "tickets", "close-ticket", { number: 218 }),
  to("give ticket 31 to Maria", "tickets", "assign-ticket", { number: 31, assignee: "Maria" }),
  to("search the tickets for timeout", "tickets", "search-tickets", { query: "timeout" }),
  to("are there any tickets about dark mode?", "tickets", "search-tickets", { query: "dark mode" }),
  to("remind me to water the plants on 2026-03-09", "reminders", "set-reminder", {
    text: "water the plants",
    date: "2026-03-09",
  }),
  to("set a reminder for tomorrow: call the bank", "reminders", "set-reminder", {
    text: "call the bank",
    date: "2026-03-03",
  }),
  to("what are my reminders?", "reminders", "list-reminders", {}),
  to("pack the folder /projects/site into site.zip", "archive", "zip", {
    source: "/projects/site",
    target: "site.zip",
  }),
  to("unzip photos.zip to /pictures/2026", "archive", "unzip", {
    archive: "photos.zip",
    destination: "/pictures/2026",
  }),
  to("unpack backup.zip", "archive", "unzip", { archive: "backup.zip" }),
  to("what is Peter Parker's phone number?", "contacts", "find-contact", { name: "Peter Parker" }),
  to('look up "Jane Doe" in the address book', "contacts", "find-contact", { name: "Jane Doe" }),
  to("add a contact named Tom Baker, tom@example.com", "contacts", "add-contact", {
    name: "Tom Baker",
    email: "tom@example.com",
  }),
  to("deploy version 2.1.0 of service: checkout to staging", "deployments", "deploy", {
    service: "checkout",
    version: "2.1.0",
    environment: "staging",
  }),
  to("which version runs in production?", "deployments", "deployment-status", { environment: "production" }),
  to("what is 17 times 23", "test_math", "multiply", { a: 17, b: 23 }),
  to("subtract 18 from 90", "test_math", "subtract", { a: 90, b: 18 }),
  to("what time is it in Lisbon?", "current_time", "get_current_time", { timezone: "Europe/Lisbon" }),
  to("will it rain in Oslo", "test_weather", "get_weather", { city: "Oslo" }),
  to("weather forecast for Madrid for the next 5 days", "test_weather", "get_forecast", {
    city: "Madrid",
    days: 5,
  }),
  to("write a file todo.txt with buy milk", "session_file_system", "write_file", {
    path: "todo.txt",
    content: "buy milk",
  }),
  to("read /notes/meeting.md", "session_file_system", "read_file", { path: "/notes/meeting.md" }),
  to("delete the file old-draft.txt", "session_file_system", "delete_file", { path: "old-draft.txt" }),
  to("generate an image of a lighthouse at dusk", "media.image.generate", "media_image_generate", {
    prompt: ANY,
  }),
  to("search the web for electric cargo bikes", "research.search", "research_search", {
    query: "electric cargo bikes",
  }),
  to("suggest names for a bakery that only sells rye bread", "company.name", "company_name", {
    description: ANY,
  }),
  none("book me a table for two at an Italian restaurant tonight"),
  none("order more printer paper"),
  none("asdf qwer zxcv"),
  none("set up a meeting room with a projector and chairs"),
  none("turn off the lights in the living room"),
  none("play some jazz"),
  none("create a user called bob"),
  none("wie geht es weiter mit dem Umzug der Waschmaschine"),
  none("blorp fnord wibble"),
  none("call my mother"),
  none("lock the front door"),
  none("charge my car until 7 in the morning"),
  none("transfer the domain to another registrar"),
  none("renew my passport"),
  none("reset the password of the wifi router"),
  none("train a horse to jump over fences"),
  none("grant the new colleague access to the building"),
  none("water the plants in the office"),
];
