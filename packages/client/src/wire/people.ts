/** People: who asks, where they are signed in, and which roles the claims of their provider give. */
import { RIGHTS } from "@capstan/core/internal";
import { z } from "zod";
import { countedPageOf, listOf, PageQuery, queryText } from "./page.ts";

export const Me = z
  .object({
    user: z.string().nullable().meta({ description: "Null: nobody is signed in." }),
    name: z.string().nullable().meta({ description: "As the provider calls them." }),
    rights: z.array(z.enum(RIGHTS)).meta({ description: "Empty: signed in, but without a role." }),
    by: z
      .enum(["nobody", "login", "key", "owner", "loopback"])
      .meta({ description: "A sign-in, an API key, the server's data folder, or the server's own user." }),
    login_id: z.string().nullable(),
    provider: z
      .object({ issuer: z.string() })
      .nullable()
      .meta({ description: "Where people sign in; null: this server has none." }),
    organisation: z
      .string()
      .nullable()
      .meta({ description: "The one that answers; null as long as there is only one." }),
    organisations: z
      .array(z.object({ id: z.string(), name: z.string() }))
      .meta({ description: "Those that the caller may choose between; empty as long as there is only one." }),
  })
  .meta({ id: "Me" });
export type Me = z.infer<typeof Me>;

export const LoginInfo = z
  .object({
    id: z.string(),
    kind: z.enum(["browser", "command line"]),
    user: z.string(),
    device: z.string().meta({ description: "What the browser or program calls itself." }),
    is_this: z.boolean().meta({ description: "The one that asks." }),
    created_at: z.string(),
    last_used_at: z.string(),
    expires_at: z.string(),
  })
  .meta({ id: "Login" });
export type LoginInfo = z.infer<typeof LoginInfo>;
export const LoginList = countedPageOf(LoginInfo);
export const LoginQuery = PageQuery.extend({ q: queryText("the user or the device") });
export type LoginQuery = z.input<typeof LoginQuery>;

export const DeviceLoginStart = z
  .strictObject({
    device: z
      .string()
      .trim()
      .max(200)
      .default("")
      .meta({ description: "What the program calls itself, for the list of logins." }),
  })
  .meta({ id: "DeviceLoginStart" });
export type DeviceLoginStart = z.input<typeof DeviceLoginStart>;

export const DeviceLogin = z
  .object({
    handle: z.string().meta({ description: "Secret: whoever has it gets the login once it is confirmed." }),
    user_code: z.string(),
    verification_uri: z.string().meta({ description: "The provider's page, where the code is confirmed." }),
    verification_uri_complete: z.string().nullable().meta({ description: "The same, with the code." }),
    interval: z.number().meta({ description: "Seconds between two questions." }),
    expires_at: z.string(),
  })
  .meta({ id: "DeviceLogin" });
export type DeviceLogin = z.infer<typeof DeviceLogin>;

export const DeviceLoginPoll = z
  .strictObject({ handle: z.string().min(1).max(12_000) })
  .meta({ id: "DeviceLoginPoll" });

export const DeviceLoginState = z
  .discriminatedUnion("status", [
    z.object({
      status: z.literal("pending"),
      interval: z.number().meta({ description: "Seconds until the next question; it can grow." }),
    }),
    z.object({
      status: z.literal("done"),
      token: z.string().meta({ description: "To send as `Authorization: Bearer`; shown once." }),
      login_id: z.string(),
      user: z.string(),
      expires_at: z.string(),
    }),
  ])
  .meta({ id: "DeviceLoginState" });
export type DeviceLoginState = z.infer<typeof DeviceLoginState>;

const text = z.string().trim().min(1).max(300);

export const RoleCreate = z
  .strictObject({
    claim: text.meta({ description: "Such as `groups`, or `realm_access.roles`." }),
    value: text.meta({ description: "What the claim contains; `*` is every value." }),
    role: z.enum(RIGHTS).nullable().default(null).meta({ description: "Null: scopes only." }),
    scopes: z.array(z.string().min(1).max(200)).max(100).default([]),
  })
  .refine(({ role, scopes }) => role !== null || scopes.length > 0, "must give a role or scopes")
  .meta({ id: "RoleCreate" });
export type RoleCreate = z.input<typeof RoleCreate>;

const ScimTokenCreate = z
  .strictObject({
    name: text.meta({ description: "Which directory uses it, such as `entra`; the audit log names it." }),
  })
  .meta({ id: "ScimTokenCreate" });
export type ScimTokenCreate = z.input<typeof ScimTokenCreate>;

const ScimToken = z
  .object({
    id: z.string(),
    name: z.string(),
    prefix: z.string().meta({ description: "The first characters, to tell them apart." }),
    created_by: z.string(),
    created_at: z.string(),
    last_used_at: z.string().nullable(),
  })
  .meta({ id: "ScimToken" });
export type ScimToken = z.infer<typeof ScimToken>;
const ScimTokenList = listOf(ScimToken);
const NewScimToken = ScimToken.extend({ token: z.string() }).meta({ id: "NewScimToken" });
export type NewScimToken = z.infer<typeof NewScimToken>;

export const RoleInfo = z
  .object({
    id: z.string().nullable().meta({ description: "Null: from CAPSTAN_OIDC_ADMINS." }),
    claim: z.string(),
    value: z.string(),
    role: z.enum(RIGHTS).nullable(),
    scopes: z.array(z.string()),
    created_by: z.string().nullable(),
    created_at: z.string().nullable(),
  })
  .meta({ id: "Role" });
export type RoleInfo = z.infer<typeof RoleInfo>;
export const RoleList = listOf(RoleInfo);

const UserDeleteQuery = z.strictObject({
  sessions: z
    .enum(["keep", "delete"])
    .default("keep")
    .meta({ description: "Whether their sessions, with messages and files, are deleted, too." }),
});
export type UserDeleteQuery = z.input<typeof UserDeleteQuery>;
const UserDeletion = z
  .object({
    user: z.string(),
    keys: z.int(),
    tokens: z.int(),
    logins: z.int(),
    connections: z.int(),
    not_revoked_at_provider: z
      .array(z.string())
      .meta({ description: "Providers that could not be told: end the consent in their settings." }),
    memories: z.int(),
    schedules: z.int(),
    sessions: z.int(),
  })
  .meta({ id: "UserDeletion" });
export type UserDeletion = z.infer<typeof UserDeletion>;

export const peopleWire = {
  ScimToken,
  ScimTokenCreate,
  ScimTokenList,
  NewScimToken,
  UserDeleteQuery,
  UserDeletion,
};
