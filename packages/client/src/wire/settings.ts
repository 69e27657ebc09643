/** The server itself: status, providers, API keys, users, grants, the audit log. */
import { z } from "zod";
import { DefaultModel } from "./models.ts";
import {
  countedPageOf,
  JsonObject,
  listOf,
  numberCursor,
  PageQuery,
  queryFlag,
  queryNumber,
  queryText,
} from "./page.ts";
import { readBack } from "./read-back.ts";
import { Weight } from "./weight.ts";

export const SecurityLine = z.object({
  what: z.string(),
  holds: z.boolean(),
  detail: z.string(),
  next_step: z.string().optional(),
});
export type SecurityLine = z.infer<typeof SecurityLine>;

export const ServerStatus = z
  .object({
    version: z.string(),
    url: z.string(),
    data: z.string().meta({ description: "Where the data is stored, without a password." }),
    model: DefaultModel,
    counts: z.object({
      running: z.int(),
      pending_approvals: z.int(),
      sessions: z.int(),
      agents: z.int(),
    }),
    uptime_seconds: z.int(),
    routing: z
      .object({
        tier: z.enum(["static", "minilm"]),
        waiting: z
          .int()
          .meta({ description: "Texts the model still has to embed; until then the static table is used." }),
      })
      .meta({ description: "The embedding used to rank tasks, besides words." }),
    security: z
      .array(SecurityLine)
      .meta({ description: "Security guarantees of this installation, and their limits." }),
    notes: z
      .array(z.string())
      .meta({ description: "What the sandbox lacks on this system, and invalid documents." }),
  })
  .meta({ id: "ServerStatus" });
export type ServerStatus = z.infer<typeof ServerStatus>;

export const Alive = z.object({ status: z.literal("ok") });

export const WebhookKey = z.object({ key: z.string() });

export const KeyRight = z.enum(["read", "run", "author", "admin"]);
export type KeyRight = z.infer<typeof KeyRight>;

export const ApiKey = z
  .object({
    id: z.string(),
    name: z.string(),
    owner: z.string(),
    prefix: z.string().meta({ description: "The first characters, to tell keys apart." }),
    rights: z.array(KeyRight),
    per_minute: z.int(),
    revoked: z.boolean(),
    created_at: z.string(),
  })
  .meta({ id: "ApiKey" });
export type ApiKey = z.infer<typeof ApiKey>;
export const KeyList = countedPageOf(ApiKey);
export const KeyQuery = PageQuery.extend({
  owner: z.string().max(320).optional(),
  revoked: queryFlag().optional(),
  q: queryText("the name, the owner or the shown start of the key"),
});
export type KeyQuery = z.input<typeof KeyQuery>;
export const NewApiKey = z.object({ ...ApiKey.shape, key: z.string() }).meta({ id: "NewApiKey" });
export type NewApiKey = z.infer<typeof NewApiKey>;
export const KeyCreate = z
  .strictObject({
    name: z.string().trim().min(1).max(200),
    owner: z.email().optional().meta({ description: "The user whose scopes apply; default: the caller." }),
    rights: z.array(KeyRight).min(1).default(["run"]),
    per_minute: z.int().min(1).max(1_000_000).optional(),
  })
  .meta({ id: "ApiKeyCreate" });
export type KeyCreate = z.input<typeof KeyCreate>;

export const UserEmail = z.email().or(z.literal("local@localhost"));
export const User = z
  .object({
    email: z.string(),
    scopes: z.array(z.string()).meta({ description: "Effective scopes, including grants." }),
    own_scopes: z.array(z.string()).meta({ description: "Scopes set directly, by PUT." }),
    active: z
      .boolean()
      .meta({ description: "False: disabled, or without a role; then nothing of theirs works." }),
    disabled: z.boolean(),
    role: KeyRight.nullable().meta({
      description: "From their provider's claims; null for who has keys alone.",
    }),
    preferences: JsonObject,
    weight: Weight.meta({
      description:
        "The share of the places for runs where there are too few: 3 gets three times as many as 1.",
    }),
  })
  .meta({ id: "User" });
export type User = z.infer<typeof User>;
export const UserList = countedPageOf(User);
export const UserQuery = PageQuery.extend({ q: queryText("the email address") });
export type UserQuery = z.input<typeof UserQuery>;
const Scopes = z.array(z.string().min(1).max(200)).max(500);
export const UserPut = z
  .strictObject({
    ...readBack(User.pick({ email: true, active: true, role: true }).shape),
    own_scopes: Scopes.optional().meta({ description: "Scopes set directly; grants come on top." }),
    scopes: Scopes.optional().meta({
      description:
        "The same as `own_scopes`, when that is absent. Beside it: the effective scopes, as they were read; they cannot be set.",
    }),
    preferences: JsonObject.optional(),
    weight: Weight.optional(),
    disabled: z
      .boolean()
      .optional()
      .meta({ description: "True: no key, token, login, schedule or approval of theirs works." }),
  })
  .meta({ id: "UserPut" });
export type UserPut = z.input<typeof UserPut>;

const LONGEST_GRANT_HOURS = 24 * 365;
export const GrantSubject = z
  .string()
  .max(400)
  .regex(
    /^(user:[^\s@]+@[^\s@]+|agent:[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})$/,
    "must have the form user:<email> or agent:<id>",
  )
  .meta({ description: "`user:<email>` or `agent:<id>`." });

/** A scope granted in addition to a user's or an agent's own. */
export const Grant = z
  .object({
    id: z.string(),
    subject: GrantSubject,
    scope: z.string(),
    granted_by: z.string(),
    reason: z.string(),
    created_at: z.string(),
    expires_at: z.string().nullable().meta({ description: "Null: until it is revoked." }),
  })
  .meta({ id: "Grant" });
export type Grant = z.infer<typeof Grant>;
export const GrantList = countedPageOf(Grant);
export const GrantQuery = PageQuery.extend({
  subject: GrantSubject.optional(),
  q: queryText("the subject, the scope or the reason"),
});
export type GrantQuery = z.input<typeof GrantQuery>;
export const GrantCreate = z
  .strictObject({
    subject: GrantSubject,
    scope: z.string().min(1).max(200),
    reason: z.string().max(1000).default(""),
    hours: z
      .number()
      .positive()
      .max(LONGEST_GRANT_HOURS)
      .optional()
      .meta({ description: "Duration; by default until revoked." }),
  })
  .meta({ id: "GrantCreate" });
export type GrantCreate = z.input<typeof GrantCreate>;

export const AuditEntry = z
  .object({
    id: z.int(),
    actor: z.string(),
    action: z.string(),
    subject: z.string(),
    subject_name: z
      .string()
      .nullable()
      .meta({ description: "What the subject is called, where it is an id." }),
    details: JsonObject,
    created_at: z.string(),
  })
  .meta({ id: "AuditEntry" });
export type AuditEntry = z.infer<typeof AuditEntry>;
export const AuditVerification = z
  .object({
    intact: z.boolean(),
    checked: z.int(),
    unchained: z.int().meta({ description: "Rows older than the chain." }),
    head: z.string().meta({
      description:
        "The last row's hash. Where the log ended is also signed in the database and kept in the data folder.",
    }),
    broken: z.object({ id: z.int(), why: z.string() }).optional(),
  })
  .meta({ id: "AuditVerification" });
export type AuditVerification = z.infer<typeof AuditVerification>;
export const AuditVerificationQuery = z.strictObject({
  expect: z
    .string()
    .regex(/^[0-9a-f]{64}$/, "is not a hash of the log")
    .optional()
    .meta({
      description:
        "A hash that was the head once, kept elsewhere: a log without it was set back or rewritten.",
    }),
});
export const AuditQuery = z.strictObject({
  limit: queryNumber(z.int().min(1).max(500)).default(100),
  cursor: numberCursor(),
  q: z.string().max(200).optional().meta({ description: "Text in the actor, the action or the subject." }),
  actor: z.string().max(200).optional().meta({ description: "Who did it." }),
  action: z
    .string()
    .max(100)
    .optional()
    .meta({ description: "`agent.updated`, or `agent` for everything about agents." }),
  subject: z.string().max(300).optional().meta({ description: "What it was done to, by its id." }),
});
/** What a client asks for. */
export type AuditFilter = {
  readonly [Field in Exclude<keyof z.output<typeof AuditQuery>, "limit" | "cursor">]?: string | undefined;
} & { readonly limit?: number | undefined; readonly cursor?: number | string | undefined };
export const AuditPage = z.object({ items: z.array(AuditEntry), next_cursor: z.int().optional() });

/** One of the faults of an input. */
const Fault = z.looseObject({ path: z.string().optional(), message: z.string().optional() });

/** Every refusal: an RFC 9457 problem with our `code`, `message` and `nextStep`. */
export const Problem = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    code: z.string(),
    message: z.string(),
    nextStep: z.string(),
    details: z
      .union([z.array(Fault), JsonObject])
      .optional()
      .meta({ description: "Every fault of the input, or the facts behind the refusal." }),
  })
  .meta({ id: "Problem" });
export type Problem = z.infer<typeof Problem>;

/** Variable names that would change how a program starts. */
const STEERS =
  /^(PATH|HOME|SHELL|IFS|ENV|BASH_ENV|TMPDIR|LANG|LD_\w*|DYLD_\w*|NODE_\w*|PYTHON\w*|npm_\w*|PIP_\w*|CAPSTAN_\w*)$/i;

/** A capability's secret: which capability, and the variable name for its commands. */
export const SecretPlace = z.object({
  capability: z.string().min(1).max(200),
  name: z
    .string()
    .regex(/^[A-Za-z_]\w{0,99}$/, "must be a variable name")
    .refine((name) => !STEERS.test(name), "must not be a variable that changes how programs start"),
});
export type SecretPlace = z.infer<typeof SecretPlace>;
const SecretUser = z.string().min(1).max(320).optional().meta({
  description: "The user whose calls get it; by default all users, which requires the admin right.",
});
export const SecretWhose = z.strictObject({ user: SecretUser });
export const SecretPut = z
  .strictObject({ value: z.string().min(1).max(64_000), user: SecretUser })
  .meta({ id: "SecretPut" });
export type SecretPut = z.input<typeof SecretPut>;
export const SecretInfo = z
  .object({
    capability: z.string(),
    name: z.string(),
    user: z.string().optional(),
    updated_by: z.string(),
    updated_at: z.string(),
  })
  .meta({ id: "CapabilitySecret" });
export type SecretInfo = z.infer<typeof SecretInfo>;
export const SecretList = listOf(SecretInfo);
