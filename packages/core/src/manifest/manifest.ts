/**
 * The manifest of a capability package: the document of seed 004, in its own snake_case.
 * Unknown fields are accepted, so that a newer manifest still installs, and named in the review; an invalid known one is refused.
 */

import { z } from "zod";
import { ConnectionNeedDocument } from "../connections/connection-need.ts";
import { FLOW_FIELDS } from "../data-flow/flow-fields.ts";
import { fail } from "../failures/fail.ts";
import { readInput } from "../faults.ts";
import { ok, type Result } from "../result.ts";
import { isCommandName, PACKAGE_NAME_RULE } from "./package-names.ts";
import { ParameterDocument, readParameter } from "./parameters.ts";
import { toolName } from "./tool-names.ts";

export const MANIFEST_MAX_CHARS = 512 * 1024; // a manifest of 200 actions with long descriptions has about 150 KB
const MAX_TOOL_NAME = 64; // the longest name models accept

const Scope = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._:/-]{0,127}$/, "must be a scope such as Mail.Read");
const Scopes = z.array(Scope).max(50);
const TimeoutSeconds = z.number().positive().max(3600);

const Action = z.object({
  name: z
    .string()
    .max(MAX_TOOL_NAME)
    .regex(
      /^[A-Za-z0-9][A-Za-z0-9_.-]*( [A-Za-z0-9][A-Za-z0-9_.-]*){0,3}$/,
      "must be a subcommand such as list-drafts, or a few words such as documents convert",
    ),
  description: z.string().min(1).max(8000),
  parameters: z.array(ParameterDocument).max(60),
  required_scopes: Scopes.optional(),
  timeout_seconds: TimeoutSeconds.optional(),
  /** Whether repeating a call is harmless; if not, a call is never retried automatically. */
  idempotent: z.boolean().optional(),
  requires_approval: z.boolean().optional(),
  /** What a call can do to the world; without it a call counts as one that writes. */
  risk: z.enum(["read", "write", "irreversible"]).optional(),
  ...FLOW_FIELDS,
  /** Exit codes besides 0 that are an answer, and their meanings: `{"1": "Problems were found."}`. */
  exit_codes: z
    .record(z.string().regex(/^[1-9]\d{0,2}$/, "must be an exit code from 1 on"), z.string().min(1).max(400))
    .optional(),
  /** What always stands first, instead of the action's name; empty for a command without subcommands. */
  fixed_arguments: z
    .array(
      z
        .string()
        .max(1000)
        .regex(/^[^\0]*$/, "must hold no NUL character"),
    )
    .max(20)
    .optional(),
});

/** `new URL` reads 2130706433 and 0x7f.1 as the addresses they are. */
function isContainerName(name: string): boolean {
  const host = URL.parse(`http://${name}/`)?.hostname ?? "";
  return host !== "" && !/^[\d.]+$/.test(host) && !/(^|\.)localhost\.?$/.test(host);
}

const Service = z.object({
  container: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$/, "must be a container name")
    .refine(isContainerName, "must be a container's name, not an address or this machine"),
  port: z.int().min(1).max(65535).optional(),
  health_endpoint: z
    .string()
    .regex(/^\/[\x21-\x7e]{0,199}$/, "must be a path that starts with /")
    .optional(),
  pattern: z.enum(["file", "api"]).optional(),
});

const BundledSkill = z.object({
  name: z.string().regex(/^[a-z0-9][a-z0-9-]{0,63}$/, "must be a skill name such as precedent-finder"),
  description: z.string().max(4000).optional(),
});

const Documentation = z.looseObject({
  usage: z.string().max(64_000).optional(),
  examples: z.array(z.string().max(4000)).max(100).optional(),
  notes: z.array(z.string().max(4000)).max(100).optional(),
  /** What its actions produce, by names the author chooses. */
  outputs: z
    .record(
      z.string().max(100),
      z.looseObject({ path: z.string().max(1000).optional(), description: z.string().max(4000).optional() }),
    )
    .optional(),
});
const ManifestConnection = ConnectionNeedDocument.pick({ provider: true }).extend({
  scopes: ConnectionNeedDocument.shape.scopes.unwrap().optional(),
});
const Words = z.array(z.string().min(1).max(200)).max(100);

export const Manifest = z
  .object({
    name: z
      .string()
      .regex(/^[a-z0-9][a-z0-9_-]{0,49}$/, "must be 1 to 50 characters of a-z, 0-9, '-' and '_'"),
    type: z.literal("cli", { error: 'must be "cli"' }),
    command: z.string().refine(isCommandName, `must be a plain command name: ${PACKAGE_NAME_RULE}`),
    description: z.string().min(1).max(8000),
    actions: z.array(Action).min(1).max(200),
    required_scopes: Scopes.optional(),
    /** Accounts of the user; without scopes of its own, `required_scopes` are those of this provider. */
    connections: z.array(ManifestConnection).max(10).optional(),
    documentation: Documentation.optional(),
    service: Service.optional(),
    /** How tasks find it: example phrases and keywords. */
    triggers: Words.optional(),
    tags: Words.optional(),
    keywords: Words.optional(),
    spec_version: z.union([z.number(), z.string().max(20)]).optional(),
    version: z.string().max(60).optional(),
    available_in_sandbox: z.boolean().optional(),
    bundled_skills: z.array(BundledSkill).max(50).optional(),
    timeout_seconds: TimeoutSeconds.optional(),
  })
  .superRefine((manifest, context) => {
    for (const { path, message } of namingFaults(manifest))
      context.addIssue({ code: "custom", path, message });
  });
export type Manifest = z.infer<typeof Manifest>;
export type ManifestAction = Manifest["actions"][number];

/** Reads a manifest from its text or from parsed JSON. Every fault is named by its path. */
export function readManifest(source: unknown): Result<Manifest> {
  const document = typeof source === "string" ? parseText(source) : ok(source);
  if (!document.ok) return document;
  const read = readInput(Manifest, document.value);
  return read.ok ? read : fail("manifest_invalid", { faults: read.faults });
}

/** Paths of fields that nothing reads, for the review. */
export function unusedFields(document: unknown): string[] {
  if (!isObject(document)) return [];
  const unknown = (value: unknown, known: object, at: string) =>
    isObject(value)
      ? Object.keys(value)
          .filter((key) => !(key in known))
          .map((key) => `${at}${key}`)
      : [];
  const actions = Array.isArray(document.actions) ? document.actions : [];
  const inActions = actions.flatMap((action) => unknown(action, Action.shape, "actions[]."));
  return [
    ...unknown(document, Manifest.shape, ""),
    ...unknown(document.documentation, Documentation.shape, "documentation."),
    ...new Set(inActions),
  ].filter((path) => !path.startsWith("$"));
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function parseText(text: string): Result<unknown> {
  if (text.length > MANIFEST_MAX_CHARS) {
    return fail("manifest_invalid", {
      faults: [{ path: "", message: `is longer than ${MANIFEST_MAX_CHARS} characters` }],
    });
  }
  try {
    return ok(JSON.parse(text));
  } catch (error) {
    return fail("manifest_invalid", {
      faults: [{ path: "", message: `is not JSON: ${(error as Error).message}` }],
    });
  }
}

interface NamingFault {
  path: (string | number)[];
  message: string;
}

/** Two actions must not map to the same tool, nor two parameters to the same input field. */
function namingFaults(manifest: { name: string; actions: z.infer<typeof Action>[] }): NamingFault[] {
  const tools = new Set<string>();
  return manifest.actions.flatMap((action, index) => {
    const tool = toolName(manifest.name, action.name);
    const path = ["actions", index, "name"];
    const faults: NamingFault[] = parameterFaults(action, index);
    if (tool.length > MAX_TOOL_NAME) {
      faults.push({
        path,
        message: `gives the tool name ${tool}, which is longer than ${MAX_TOOL_NAME} characters`,
      });
    }
    if (tools.has(tool)) faults.push({ path, message: `gives the tool name ${tool}, which is already used` });
    tools.add(tool);
    return faults;
  });
}

function parameterFaults(action: z.infer<typeof Action>, index: number): NamingFault[] {
  const keys = new Set<string>();
  const faults: NamingFault[] = [];
  for (const [position, document] of action.parameters.entries()) {
    const { key } = readParameter(document);
    if (keys.has(key)) {
      faults.push({
        path: ["actions", index, "parameters", position],
        message: `gives the parameter ${key}, which is already used`,
      });
    }
    keys.add(key);
  }
  return faults;
}
