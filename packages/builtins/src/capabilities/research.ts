/**
 * research: a scratchpad of findings, kept for the session, and web search if a provider is configured. Pages are read
 * with web_fetch, which this capability depends on. Without a provider only the search tool is hidden.
 */
import { type Capability, defineCapability, defineTool, ok } from "@capstan/core";
import { z } from "zod";
import { CAPABILITY_IDS } from "../capability-ids.ts";
import type { SearchSettings } from "../search/search-provider.ts";
import { chooseSearch, searchUnavailable, searchWeb } from "../search/search-web.ts";
import { allNotes, deleteNote, note, noteFor, outline, saveNote, topicsOf } from "./scratchpad.ts";

const DEFAULT_TOPIC = "General";

const topic = z.string().trim().min(1).max(200);
const topics = z.array(z.object({ topic: z.string(), count: z.int() }));
const source = z.url({ protocol: /^https?$/ }).max(2_000);

const config = z.object({
  max_results: z.int().min(1).max(20).default(5).describe("How many search results a query gives."),
  language: z
    .string()
    .regex(/^[a-z]{2,3}(-[A-Za-z]{2,4})?$/)
    .optional()
    .describe('The language of results, such as "en"; any by default.'),
  provider: z
    .enum(["searxng", "brave", "tavily"])
    .optional()
    .describe(
      "The search provider; the server's default when left out. Brave and Tavily need a key in the server's settings.",
    ),
  searxng_url: z
    .url({ protocol: /^https?$/ })
    .max(2_000)
    .optional()
    .describe("The address of your own SearXNG, with its JSON format enabled."),
});

const researchNote = defineTool({
  name: "research_note",
  risk: "write",
  writes: "internal",
  description: "Write a finding to the research scratchpad, or change one by its id.",
  input: z.object({
    content: z.string().trim().min(1).max(20_000).describe("The finding, in your own words."),
    topic: topic.optional().describe(`The topic it belongs to; "${DEFAULT_TOPIC}" when left out.`),
    sources: z.array(source).max(20).default([]).describe("URLs of its sources."),
    id: z.string().optional().describe("The note to change; omit for a new one."),
  }),
  output: z.object({ note, created: z.boolean(), note_count: z.int() }),
  requiresContext: true,
  idempotent: true,
  async run({ content, topic, sources, id }, { store, idempotencyKey, now }) {
    const before = await noteFor(store, id, idempotencyKey, now());
    if (!before.ok) return before;
    const saved = {
      ...before.value,
      content,
      topic: topic ?? (before.value.topic || DEFAULT_TOPIC),
      sources,
    };
    await saveNote(store, saved);
    return ok({ note: saved, created: id === undefined, note_count: (await allNotes(store)).length });
  },
});

const researchNotes = defineTool({
  name: "research_notes",
  risk: "read",
  description: "Read the research scratchpad: all notes, or those with a topic or a text.",
  input: z.object({
    topic: topic.optional().describe("Only notes of this topic."),
    query: z.string().trim().min(1).max(500).optional().describe("Only notes that contain this text."),
  }),
  output: z.object({ notes: z.array(note), count: z.int(), topics }),
  requiresContext: true,
  idempotent: true,
  async run({ topic, query }, { store }) {
    const notes = await allNotes(store);
    const wanted = query?.toLowerCase() ?? "";
    const found = notes.filter(
      (one) => (topic === undefined || one.topic === topic) && one.content.toLowerCase().includes(wanted),
    );
    return ok({ notes: found, count: found.length, topics: topicsOf(notes) });
  },
});

const researchOrganize = defineTool({
  name: "research_organize",
  risk: "write",
  writes: "internal",
  description: "Move notes of the research scratchpad to another topic, or delete them.",
  input: z
    .object({
      ids: z.array(z.string()).min(1).max(500).describe("The notes."),
      topic: topic.optional().describe("The topic to move them to."),
      delete: z.boolean().default(false).describe("If true, delete them instead."),
    })
    .refine((input) => input.delete || input.topic !== undefined, { error: "give a topic, or delete: true" }),
  output: z.object({ moved: z.int(), deleted: z.int(), not_found: z.array(z.string()), topics }),
  requiresContext: true,
  idempotent: true,
  async run({ ids, topic, delete: isDeleted }, { store }) {
    const notes = await allNotes(store);
    const chosen = notes.filter((one) => ids.includes(one.id));
    for (const one of chosen) {
      if (isDeleted) await deleteNote(store, one.id);
      else await saveNote(store, { ...one, topic: topic ?? one.topic });
    }
    return ok({
      moved: isDeleted ? 0 : chosen.length,
      deleted: isDeleted ? chosen.length : 0,
      not_found: ids.filter((id) => !chosen.some((one) => one.id === id)),
      topics: topicsOf(await allNotes(store)),
    });
  },
});

const researchSummary = defineTool({
  name: "research_summary",
  risk: "read",
  description: "The research scratchpad as one Markdown document, by topic, with numbered sources.",
  input: z.object({}),
  output: z.object({ outline: z.string(), sources: z.array(z.string()), note_count: z.int() }),
  requiresContext: true,
  idempotent: true,
  async run(_, { store }) {
    const notes = await allNotes(store);
    return ok({ ...outline(notes), note_count: notes.length });
  },
});

function webSearch(offered: readonly SearchSettings[]) {
  return defineTool({
    name: "web_search",
    risk: "read",
    reads: "untrusted",
    description: "Search the web. Read the pages that look useful with web_fetch.",
    input: z.object({
      query: z.string().trim().min(1).max(400).describe("What to search for."),
      max_results: z.int().min(1).max(20).optional().describe("How many results at most."),
    }),
    output: z.object({
      query: z.string(),
      provider: z.string(),
      results: z.array(
        z.object({
          title: z.string(),
          url: z.string(),
          snippet: z.string(),
          published: z.string().optional(),
        }),
      ),
      count: z.int(),
    }),
    idempotent: true,
    unavailable: (given) => searchUnavailable(chooseSearch(offered, configOf(given))),
    async run({ query, max_results }, context) {
      const { max_results: usual, language, ...choice } = configOf(context.config);
      const settings = chooseSearch(offered, choice);
      if (!settings) throw new Error("web_search is hidden without a provider"); // the gate never calls it
      const question = { query, maxResults: max_results ?? usual, language };
      const found = await searchWeb(question, settings, context.fetch, context.signal);
      if (!found.ok) return found;
      return ok({ query, provider: settings.provider, results: found.value, count: found.value.length });
    },
  });
}

function configOf(given: unknown): z.output<typeof config> {
  return config.safeParse(given ?? {}).data ?? config.parse({});
}

export function researchCapability(search: readonly SearchSettings[] = []): Capability {
  return defineCapability({
    id: CAPABILITY_IDS.RESEARCH,
    name: "Research",
    description: "Deep research capability with organized scratchpad.",
    icon: "search",
    category: "AI",
    systemPrompt: "You have access to a research scratchpad. Use it to organize your thoughts and findings.",
    dependencies: [CAPABILITY_IDS.WEB_FETCH],
    config,
    tools: [researchNote, researchNotes, researchOrganize, researchSummary, webSearch(search)],
    routing: {
      triggers: [
        "research this topic",
        "search the web",
        "find information about",
        "do a deep dive on",
        "collect sources on",
        "compare the literature on",
        "look this up online",
        "summarize my research notes",
      ],
      tags: ["research", "search", "sources", "notes", "findings", "scratchpad", "web", "investigate"],
      domain: "research",
      actions: ["research", "search", "find", "investigate", "collect"],
    },
  });
}
