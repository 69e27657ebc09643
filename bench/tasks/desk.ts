/**
 * A desk of everyday capabilities for the tasks in this folder, as packages of other people declare them: names, descriptions and
 * schemas, mostly without triggers. Nothing here was changed to make a task succeed.
 */
import { type Capability, defineCapability, defineTool, ok, type ToolRisk } from "@capstan/core";
import { z } from "zod";

type Shape = Record<string, z.ZodType>;

const tool = (name: string, risk: ToolRisk, description: string, shape: Shape = {}) =>
  defineTool({ name, description, risk, input: z.object(shape), run: () => ok({}) });

const text = (description: string) => z.string().describe(description);
const optional = (description: string) => z.string().optional().describe(description);
const LANGUAGES = ["en", "de", "fr", "es", "it", "pt", "ja", "zh", "nl", "pl"] as const;

export const desk: readonly Capability[] = [
  defineCapability({
    id: "documents",
    name: "Documents",
    description: "Convert documents between formats and take parts out of them.",
    category: "Packages",
    tools: [
      tool("convert-to-markdown", "write", "Convert a PDF, Word or HTML file to Markdown.", {
        input_path: text("The document to convert."),
        output_dir: optional("Folder for the Markdown file."),
      }),
      tool("convert-markdown", "write", "Convert a Markdown file to PDF, Word or HTML.", {
        input_path: text("The Markdown file."),
        to: z.enum(["pdf", "docx", "html"]).describe("Format to produce."),
      }),
      tool("merge-pdf", "write", "Join PDF files into one.", {
        files: z.array(z.string()).describe("The PDF files, in order."),
        output: text("Path of the joined file."),
      }),
      tool("extract-pages", "write", "Copy a range of pages of a PDF into a new file.", {
        input_path: text("The PDF."),
        first: z.int().describe("First page."),
        last: z.int().describe("Last page."),
      }),
      tool("count-words", "read", "Count the words of a document.", { path: text("The document.") }),
    ],
  }),
  defineCapability({
    id: "translator",
    name: "Translator",
    description: "Translate texts and documents and tell which language a text is in.",
    category: "Packages",
    tools: [
      tool("translate-text", "read", "Translate a text.", {
        text: text("The text."),
        target_language: z.enum(LANGUAGES).describe("Language code to translate into."),
        source_language: z.enum(LANGUAGES).optional().describe("Language code to translate from."),
      }),
      tool("translate-document", "write", "Translate a document file and keep its layout.", {
        input: text("Path of the document."),
        target_lang: text("ISO 639-1 code of the language to translate into."),
        output: optional("Where to save the translation."),
      }),
      tool("detect-language", "read", "Say which language a text is in.", { text: text("The text.") }),
    ],
  }),
  defineCapability({
    id: "legal",
    name: "Legal",
    description: "Compare contracts, find clauses and redact documents.",
    category: "Packages",
    tools: [
      tool("compare", "write", "Compare two versions of a contract and write the differences.", {
        original: text("Path of the original version."),
        modified: text("Path of the modified version."),
        output: optional("Path of the report."),
      }),
      tool("find-clauses", "read", "Find clauses of one kind in a contract.", {
        path: text("The contract."),
        clause: z
          .enum(["termination", "liability", "confidentiality", "payment"])
          .describe("Kind of clause."),
      }),
      tool("redact", "irreversible", "Black out names in a document; the text is gone afterwards.", {
        path: text("The document."),
        names: z.array(z.string()).describe("Names to black out."),
      }),
    ],
  }),
  defineCapability({
    id: "visualize",
    name: "Visualize",
    description: "Draw charts from tables.",
    category: "Packages",
    tools: [
      tool("chart", "write", "Draw a chart from a CSV file.", {
        data: text("Path of the CSV file."),
        kind: z.enum(["bar", "line", "pie", "scatter"]).describe("Kind of chart."),
        x: optional("Column of the horizontal axis."),
        y: optional("Column of the vertical axis."),
        output: optional("Path of the picture."),
      }),
    ],
  }),
  defineCapability({
    id: "mail",
    name: "Mail",
    description: "Read, search and send e-mail.",
    category: "Communication",
    tools: [
      tool("send-mail", "irreversible", "Send an e-mail.", {
        to: z.email().describe("Address of the recipient."),
        subject: text("Subject line."),
        body: text("Text of the message."),
      }),
      tool("search-mail", "read", "Search the mailbox.", {
        query: text("Words to look for."),
        from: z.email().optional().describe("Only mail of this sender."),
        since: z.iso.date().optional().describe("Only mail from this day on."),
      }),
      tool("delete-mail", "irreversible", "Delete a message for good.", { id: text("Id of the message.") }),
      tool("unread-mail", "read", "List unread messages.", { limit: z.int().default(10) }),
    ],
  }),
  defineCapability({
    id: "calendar",
    name: "Calendar",
    description: "Look at and change the calendar.",
    category: "Communication",
    tools: [
      tool("create-event", "write", "Add an event to the calendar.", {
        title: text("What the event is called."),
        date: z.iso.date().describe("Day of the event."),
        time: optional("Start, as HH:MM."),
        duration_minutes: z.int().default(60),
      }),
      tool("list-events", "read", "List the events of a day.", { date: z.iso.date().describe("The day.") }),
      tool("cancel-event", "irreversible", "Cancel an event and tell everybody who was invited.", {
        title: text("What the event is called."),
      }),
    ],
  }),
  defineCapability({
    id: "invoices",
    name: "Invoices",
    description: "Write, list and pay invoices.",
    category: "Money",
    tools: [
      tool("create-invoice", "write", "Write an invoice for a customer.", {
        customer: text("Name of the customer."),
        amount: z.number().describe("Amount."),
        currency: z.enum(["EUR", "USD", "GBP", "JPY"]).default("EUR"),
      }),
      tool("list-invoices", "read", "List invoices by their state.", {
        state: z.enum(["open", "paid", "overdue"]).describe("State of the invoices."),
      }),
      tool("pay-invoice", "irreversible", "Pay an invoice from the company account.", {
        number: text("Number of the invoice."),
      }),
    ],
  }),
  defineCapability({
    id: "currency",
    name: "Currency",
    description: "Convert amounts between currencies at today's rate.",
    category: "Money",
    tools: [
      tool("convert-currency", "read", "Convert an amount from one currency to another.", {
        amount: z.number(),
        from: z.string().length(3).describe("ISO 4217 code of the currency to convert from."),
        to: z.string().length(3).describe("ISO 4217 code of the currency to convert to."),
      }),
    ],
  }),
  defineCapability({
    id: "images",
    name: "Images",
    description: "Resize, rotate and convert pictures.",
    category: "Packages",
    tools: [
      tool("resize", "write", "Change the size of a picture.", {
        path: text("The picture."),
        width: z.int().describe("Width in pixels."),
        height: z.int().optional().describe("Height in pixels."),
      }),
      tool("rotate", "write", "Rotate a picture.", {
        path: text("The picture."),
        degrees: z.int().describe("Degrees, clockwise."),
      }),
      tool("convert-image", "write", "Save a picture in another format.", {
        path: text("The picture."),
        format: z.enum(["png", "jpeg", "webp", "avif"]),
      }),
    ],
  }),
  defineCapability({
    id: "tickets",
    name: "Tickets",
    description: "Issues of a project: open, close, assign and search them.",
    category: "Development",
    tools: [
      tool("open-ticket", "write", "Open a ticket.", {
        title: text("What is wrong, in one line."),
        priority: z.enum(["low", "normal", "high", "urgent"]).default("normal"),
      }),
      tool("close-ticket", "write", "Close a ticket.", { number: z.int().describe("Number of the ticket.") }),
      tool("assign-ticket", "write", "Give a ticket to somebody.", {
        number: z.int().describe("Number of the ticket."),
        assignee: text("Who gets it."),
      }),
      tool("search-tickets", "read", "Search tickets.", { query: text("Words to look for.") }),
    ],
  }),
  defineCapability({
    id: "reminders",
    name: "Reminders",
    description: "Remind people of things.",
    category: "Productivity",
    tools: [
      tool("set-reminder", "write", "Set a reminder.", {
        text: text("What to be reminded of."),
        date: z.iso.date().describe("The day."),
      }),
      tool("list-reminders", "read", "List all reminders."),
    ],
  }),
  defineCapability({
    id: "archive",
    name: "Archive",
    description: "Pack files into archives and unpack them.",
    category: "Packages",
    tools: [
      tool("zip", "write", "Pack a folder into a zip archive.", {
        source: text("The folder."),
        target: optional("Path of the archive."),
      }),
      tool("unzip", "write", "Unpack a zip archive.", {
        archive: text("The archive."),
        destination: optional("Folder to unpack into."),
      }),
    ],
  }),
  defineCapability({
    id: "contacts",
    name: "Contacts",
    description: "The address book: people, their phone numbers and e-mail addresses.",
    category: "Communication",
    tools: [
      tool("find-contact", "read", "Find a person in the address book.", {
        name: text("Name of the person."),
      }),
      tool("add-contact", "write", "Add a person to the address book.", {
        name: text("Name of the person."),
        email: z.email().optional(),
        phone: optional("Phone number."),
      }),
    ],
  }),
  defineCapability({
    id: "deployments",
    name: "Deployments",
    description: "Put versions of a service into an environment, and take them back.",
    category: "Development",
    tools: [
      tool("deploy", "irreversible", "Deploy a version of a service to an environment.", {
        service: text("Name of the service."),
        version: text("Version, such as 1.4.2."),
        environment: z.enum(["staging", "production"]),
      }),
      tool("deployment-status", "read", "Show which version runs in an environment.", {
        environment: z.enum(["staging", "production"]),
      }),
    ],
  }),
];
