/** Organisations: who shares what. There is one, and nothing of this shows, until a second is created. */
import { RIGHTS } from "@capstan/core/internal";
import { z } from "zod";
import { countedPageOf, listOf, PageQuery, queryText } from "./page.ts";
import { readBack } from "./read-back.ts";
import { Weight } from "./weight.ts";

const id = z
  .string()
  .regex(
    /^[a-z][a-z0-9-]{1,29}$/,
    "must be 2 to 30 small letters, digits and dashes, and begin with a letter",
  )
  .meta({ description: "A short word for addresses and keys; `default` is the first organisation." });

const fields = {
  name: z.string().trim().min(1).max(200),
  requests_per_minute: z
    .int()
    .min(1)
    .max(1_000_000)
    .nullable()
    .meta({ description: "For all its callers together; null: only the limits of keys apply." }),
  weight: Weight.meta({
    description:
      "Its share of the places for runs where there are too few: 3 gets three times as many as 1, which the first organisation has.",
  }),
  cost_usd_per_month: z.number().positive().max(1e9).nullable().meta({
    description: "A budget that its own admins cannot change; null: only their own budgets apply.",
  }),
};

const Organisation = z
  .object({
    id: z.string(),
    name: z.string(),
    is_current: z.boolean().meta({ description: "The one that answers." }),
    disabled: z.boolean().meta({ description: "Nobody enters it, and nothing of it runs." }),
    requests_per_minute: fields.requests_per_minute,
    weight: fields.weight,
    cost_usd_per_month: fields.cost_usd_per_month,
    created_by: z.string().nullable(),
    created_at: z.string().nullable(),
  })
  .meta({ id: "Organisation" });
export type Organisation = z.infer<typeof Organisation>;
const OrganisationList = listOf(Organisation);

const OrganisationCreate = z
  .strictObject({
    id,
    name: fields.name,
    requests_per_minute: fields.requests_per_minute.default(null),
    weight: fields.weight.default(1),
    cost_usd_per_month: fields.cost_usd_per_month.default(null),
  })
  .meta({ id: "OrganisationCreate" });
export type OrganisationCreate = z.input<typeof OrganisationCreate>;

const NewOrganisation = Organisation.extend({
  key: z.string().meta({ description: "An admin's key of the new organisation; shown once." }),
}).meta({ id: "NewOrganisation" });
export type NewOrganisation = z.infer<typeof NewOrganisation>;

const OrganisationPatch = z
  .strictObject({
    ...readBack(Organisation.pick({ id: true, is_current: true, created_by: true, created_at: true }).shape),
    ...z.strictObject({ ...fields, disabled: z.boolean() }).partial().shape,
  })
  .meta({ id: "OrganisationPatch" });
export type OrganisationPatch = z.input<typeof OrganisationPatch>;

const OrganisationChoice = z
  .strictObject({ organisation: z.string().min(1).max(30) })
  .meta({ id: "OrganisationChoice" });

const OrganisationMember = z
  .object({
    user: z.string(),
    role: z.enum(RIGHTS),
    added_by: z.string(),
    added_at: z.string(),
  })
  .meta({ id: "OrganisationMember" });
export type OrganisationMember = z.infer<typeof OrganisationMember>;
const OrganisationMemberQuery = PageQuery.extend({ q: queryText("the user") });
const OrganisationMemberList = countedPageOf(OrganisationMember);

const OrganisationMemberPut = z
  .strictObject({ ...readBack(OrganisationMember.omit({ role: true }).shape), role: z.enum(RIGHTS) })
  .meta({ id: "OrganisationMemberPut" });
export type OrganisationMemberPut = z.input<typeof OrganisationMemberPut>;

export const organisationWire = {
  Organisation,
  OrganisationList,
  OrganisationCreate,
  NewOrganisation,
  OrganisationPatch,
  OrganisationChoice,
  OrganisationMember,
  OrganisationMemberList,
  OrganisationMemberPut,
  OrganisationMemberQuery,
};
