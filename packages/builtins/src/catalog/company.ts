/** company.create, company.plan, company.name: a company's record, plan and names. Structured by the configured model. */
import {
  type AnyTool,
  defineTool,
  type JsonSchema,
  type JsonValue,
  ok,
  type ToolContext,
} from "@capstan/core";
import { z } from "zod";
import { type CatalogParts, DEMO_MODEL } from "./catalog-parts.ts";

const action = <Name extends string>(name: Name) =>
  z
    .literal(name)
    .default(name as never)
    .describe("The route's action.");
const about = z.string().max(20_000).default("").describe("What the company does, in the user's words.");

const STORE = "company"; // companies and their plans are stored together, whichever capability made them
const MOST_LISTED = 100;

const Plan = z.object({
  summary: z.string(),
  customers: z.array(z.string()),
  offer: z.string(),
  revenue: z.array(z.string()),
  milestones: z.array(z.object({ month: z.int(), goal: z.string() })),
  risks: z.array(z.string()),
});
const Names = z.object({ names: z.array(z.string()).min(3).max(10) });

export function createCompany(): AnyTool {
  return defineTool({
    name: "company_create",
    risk: "write",
    description: "Create a company record with a name and what it does.",
    storedUnder: STORE,
    input: z.object({
      action: action("create"),
      name: z.string().min(1).max(200).default("Generated Company"),
      description: about,
    }),
    run: async ({ name, description }, context) => {
      const company = {
        id: context.idempotencyKey,
        name,
        description,
        created_at: context.now().toISOString(),
      };
      await context.store.set(`company:${company.id}`, company);
      return ok({ company });
    },
  });
}

/** Created companies and plans, newest first. */
export function listCompanies(): AnyTool {
  return defineTool({
    name: "company_list",
    risk: "read",
    description: "List the companies that were created, and the plans that were made.",
    input: z.object({ limit: z.coerce.number().int().min(1).max(MOST_LISTED).default(20) }),
    idempotent: true,
    storedUnder: STORE,
    run: async ({ limit }, { store }) => {
      const newest = async (prefix: string) =>
        (await store.list(prefix))
          .map(({ value }) => value)
          .reverse()
          .slice(0, limit);
      return ok({ companies: await newest("company:"), plans: await newest("plan:") });
    },
  });
}

export function planCompany({ generate }: CatalogParts): AnyTool {
  return defineTool({
    name: "company_plan",
    risk: "write",
    description: "Generate a company plan: customers, offer, revenue, milestones and risks.",
    storedUnder: STORE,
    input: z.object({
      action: action("generate-plan"),
      name: z.string().min(1).max(200).default("Generated Company"),
      description: about,
    }),
    timeoutMs: 120_000,
    run: async ({ name, description }, context) => {
      const made = await generate?.(
        {
          system: "You write short, concrete business plans. Answer with the plan alone.",
          prompt: `Write a plan for "${name}". ${description}`,
          schema: z.toJSONSchema(Plan) as JsonSchema,
          signal: context.signal,
        },
        context,
      );
      if (made && !made.ok) return made;
      const plan = made ? (made.value.object ?? {}) : demoPlan(name, description);
      await rememberPlan(context, name, plan);
      return ok({ plan, model: made?.value.model ?? DEMO_MODEL });
    },
  });
}

export function nameCompany({ generate }: CatalogParts): AnyTool {
  return defineTool({
    name: "company_name",
    risk: "read",
    description: "Suggest names for a company.",
    input: z.object({ action: action("generate-name"), description: about }),
    timeoutMs: 60_000,
    run: async ({ description }, context) => {
      const made = await generate?.(
        {
          system: "You suggest short, pronounceable company names.",
          prompt: `Suggest names for: ${description}`,
          schema: z.toJSONSchema(Names) as JsonSchema,
          signal: context.signal,
        },
        context,
      );
      if (!made) return ok({ names: demoNames(description), model: DEMO_MODEL });
      return made.ok ? ok({ ...(made.value.object as { names: string[] }), model: made.value.model }) : made;
    },
  });
}

const rememberPlan = (context: ToolContext, name: string, plan: JsonValue): Promise<void> =>
  context.store.set(`plan:${name}`, { name, plan, at: context.now().toISOString() });

/** The fields a model would fill, with placeholders where only a person knows. Marked as a demo by its model name. */
function demoPlan(name: string, description: string): z.output<typeof Plan> {
  const what = description.trim() || "its product";
  return {
    summary: `${name}: ${what}.`,
    customers: [`Those who need ${what} and pay for it today`, "Those who do it by hand"],
    offer: `${what}, with one clear result in the first week.`,
    revenue: ["A monthly price per customer", "A setup fee for larger ones"],
    milestones: [
      { month: 1, goal: "Ten conversations with customers" },
      { month: 3, goal: "First paying customer" },
      { month: 12, goal: "Revenue covers cost" },
    ],
    risks: ["Nobody pays", "A larger firm copies it"],
  };
}

const ASKING =
  /^(suggest|names?|company|startup|business|brand|ideas?|come|with|please|that|this|what|should|call)$/i;

function demoNames(description: string): string[] {
  const words = (description.match(/[\p{L}]{4,}/gu) ?? []).filter((word) => !ASKING.test(word)).slice(0, 3);
  const roots = words.length > 0 ? words : ["Capstan"];
  return roots.flatMap((word) => {
    const root = word[0]?.toUpperCase() + word.slice(1, 6).toLowerCase();
    return [`${root}ly`, `${root} Works`, `Nova${root}`];
  });
}
