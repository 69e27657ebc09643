/** The format of a declarative capability, as zod and, derived, as JSON Schema for editors. docs/sources.md explains it with examples. */
import type { JsonSchema } from "@capstan/core";
import { ConnectionNeedDocument, FLOW_FIELDS } from "@capstan/core/internal";
import { z } from "zod";

const Id = z
  .string()
  .regex(/^[a-z0-9_.-]{1,50}$/, "must be 1 to 50 characters of a-z, 0-9, '_', '.' and '-'");
const ToolName = z
  .string()
  .regex(/^[a-zA-Z0-9_-]{1,64}$/, "must be 1 to 64 characters of a-z, A-Z, 0-9, '_' and '-'");
const Version = z
  .string()
  .regex(/^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$/, "must be a version such as 1.0.0");
const Words = z.array(z.string().min(1).max(200)).max(50);
const Scopes = z.array(z.string().min(1).max(200)).max(50);
const Scalar = z.union([z.string(), z.number(), z.boolean()]);
const FixedValues = z
  .record(z.string().min(1).max(200), z.string().max(4_000))
  .describe(`Names and values sent with every call; \${NAME} stands for a secret.`);

/** The JSON Schema keywords that a parameter may use, besides its location. */
const schemaWords = {
  type: z
    .enum(["string", "number", "integer", "boolean", "array", "object"])
    .describe("The JSON type of the value."),
  description: z.string().max(2_000).optional().describe("What the model reads about it."),
  enum: z.array(Scalar).min(1).max(500).optional(),
  default: z.json().optional().describe("The default, sent when the model gives no value."),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  multipleOf: z.number().positive().optional(),
  minLength: z.int().min(0).optional(),
  maxLength: z.int().min(0).optional(),
  pattern: z.string().max(1_000).optional().describe("A regular expression in RE2 syntax."),
  format: z.string().max(50).optional().describe("Such as date, date-time, email, uri, uuid."),
  items: z.record(z.string(), z.json()).optional().describe("A JSON Schema of the array's items."),
  minItems: z.int().min(0).optional(),
  maxItems: z.int().min(0).optional(),
  uniqueItems: z.boolean().optional(),
  properties: z
    .record(z.string(), z.record(z.string(), z.json()))
    .optional()
    .describe("JSON Schemas of an object's fields."),
  additionalProperties: z.boolean().optional(),
};

const Parameter = z.strictObject({
  in: z
    .enum(["path", "query", "header", "cookie", "body"])
    .optional()
    .describe(
      "Where it is sent. Default: path when the path names it, body for POST, PUT and PATCH, otherwise query.",
    ),
  name: z.string().min(1).max(200).optional().describe("Its name in the request, when it differs."),
  required: z.boolean().optional().describe("Whether it is required; always true for path parameters."),
  ...schemaWords,
});

const Tool = z.strictObject({
  name: ToolName,
  description: z.string().min(1).max(4_000).describe("What it does and when to use it, for a model."),
  method: z.enum(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"]).default("GET"),
  path: z
    .string()
    .max(2_000)
    .regex(/^\//, "must start with /")
    .describe("Below base_url; {name} stands for a parameter."),
  parameters: z
    .record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/, "must be a name"), Parameter)
    .default({}),
  headers: FixedValues.default({}),
  query: FixedValues.default({}),
  body: z.enum(["json", "form"]).default("json").describe("How body parameters are sent."),
  policy: z
    .enum(["auto", "approve", "deny"])
    .optional()
    .describe(
      "What happens when a model calls it. Default: auto, or approve for DELETE and for a high risk.",
    ),
  scopes: Scopes.default([]).describe("Scopes required to see this tool."),
  timeout_seconds: z.number().min(0.1).max(600).default(30),
  idempotent: z
    .boolean()
    .optional()
    .describe("Whether the same call may run twice. Default: true except for POST and PATCH."),
  ...FLOW_FIELDS,
  pick: z
    .string()
    .max(500)
    .regex(/^(\/|$)/, "must be a JSON pointer such as /data/items")
    .optional()
    .describe("The part of the response to return, as a JSON pointer."),
});

const ConfigField = z.strictObject({
  type: z.enum(["string", "number", "integer", "boolean"]).default("string"),
  description: z.string().max(2_000).optional(),
  enum: z.array(Scalar).min(1).max(500).optional(),
  default: Scalar.optional(),
  required: z.boolean().default(false),
  secret: z.boolean().default(false).describe("Never shown again once set."),
});

export const DeclarativeDocument = z.strictObject({
  $schema: z.string().optional().describe("For editors; ignored."),
  id: Id,
  name: z.string().min(1).max(100),
  description: z.string().min(1).max(2_000),
  version: Version.default("1.0.0"),
  status: z.enum(["available", "coming_soon", "deprecated"]).default("available"),
  risk: z
    .enum(["low", "medium", "high"])
    .optional()
    .describe("Default: low when all tools only read, otherwise medium."),
  icon: z.string().max(50).optional(),
  category: z.string().max(100).optional(),
  prompt: z.string().max(50_000).optional().describe("Added to the agent's system prompt."),
  dependencies: z.array(Id).max(50).default([]),
  scopes: Scopes.default([]).describe("Scopes required to see the capability."),
  connections: z
    .array(ConnectionNeedDocument.omit({ optional: true }))
    .max(10)
    .default([])
    .describe("Accounts of the user that its tools need: a provider and its scopes."),
  triggers: Words.default([]).describe("Example phrases, 5 to 10 of them; tasks are routed by them."),
  tags: Words.default([]),
  domain: z.string().max(100).optional(),
  actions: Words.default([]).describe("Verbs such as search, create, fetch."),
  chat_patterns: Words.default([]).describe("A chat message that matches one (RE2) goes to the router."),
  routable: z.boolean().default(true).describe("False: no task is routed to it."),
  base_url: z
    .url({ protocol: /^https?$/, error: "must be an address that starts with https:// or http://" })
    .optional()
    .describe("The only server its tools call."),
  headers: FixedValues.default({}).describe("Sent with every call of every tool."),
  query: FixedValues.default({}),
  config: z
    .record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,63}$/, "must be a name"), ConfigField)
    .default({})
    .describe(`Settings of each agent; \${NAME} in headers and queries refers to them.`),
  tools: z.array(Tool).max(200).default([]),
  documentation: z
    .strictObject({
      usage: z.string().max(20_000).optional(),
      examples: z.array(z.string().max(4_000)).max(50).optional(),
    })
    .optional(),
});

export type DeclarativeDocument = z.output<typeof DeclarativeDocument>;
export type DeclarativeTool = DeclarativeDocument["tools"][number];
export type DeclarativeParameter = DeclarativeTool["parameters"][string];

/** For editors: reference it as `$schema` in JSON, or in a `yaml-language-server` comment. */
export const declarativeJsonSchema = (): JsonSchema => ({
  title: "Capstan capability",
  description: "A declarative capability: a prompt, HTTP tools and rights.",
  ...z.toJSONSchema(DeclarativeDocument, { io: "input", unrepresentable: "any" }),
});
