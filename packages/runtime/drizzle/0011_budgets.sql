CREATE TABLE "budget_periods" (
	"budget_id" uuid NOT NULL,
	"subject" text NOT NULL,
	"starts_at" timestamp with time zone NOT NULL,
	"spent" double precision DEFAULT 0 NOT NULL,
	"reserved" double precision DEFAULT 0 NOT NULL,
	"extra" double precision DEFAULT 0 NOT NULL,
	"alerted" smallint DEFAULT 0 NOT NULL,
	CONSTRAINT "budget_periods_budget_id_subject_starts_at_pk" PRIMARY KEY("budget_id","subject","starts_at")
);
--> statement-breakpoint
CREATE TABLE "budget_reservations" (
	"run_id" uuid NOT NULL,
	"budget_id" uuid NOT NULL,
	"subject" text NOT NULL,
	"starts_at" timestamp with time zone NOT NULL,
	"measure" text NOT NULL,
	"amount" double precision NOT NULL,
	CONSTRAINT "budget_reservations_run_id_budget_id_pk" PRIMARY KEY("run_id","budget_id")
);
--> statement-breakpoint
CREATE TABLE "budgets" (
	"id" uuid PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"measure" text NOT NULL,
	"amount" double precision NOT NULL,
	"period" text NOT NULL,
	"time_zone" text NOT NULL,
	"agent_id" uuid,
	"user_email" text,
	"capability_id" text,
	"for_each" text,
	"at_limit" text NOT NULL,
	"created_by" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "approvals" ADD COLUMN "kind" text DEFAULT 'tool' NOT NULL;--> statement-breakpoint
ALTER TABLE "budget_periods" ADD CONSTRAINT "budget_periods_budget_id_budgets_id_fk" FOREIGN KEY ("budget_id") REFERENCES "public"."budgets"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "budgets" ADD CONSTRAINT "budgets_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "budget_reservations_budget" ON "budget_reservations" USING btree ("budget_id","subject");