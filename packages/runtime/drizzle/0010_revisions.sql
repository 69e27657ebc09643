CREATE TABLE "agent_labels" (
	"agent_id" uuid NOT NULL,
	"label" text NOT NULL,
	"number" integer NOT NULL,
	"share" integer DEFAULT 0 NOT NULL,
	"by" text NOT NULL,
	"at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "agent_labels_agent_id_label_pk" PRIMARY KEY("agent_id","label")
);
--> statement-breakpoint
CREATE TABLE "agent_revisions" (
	"agent_id" uuid NOT NULL,
	"number" integer NOT NULL,
	"by" text NOT NULL,
	"at" timestamp with time zone DEFAULT now() NOT NULL,
	"why" text DEFAULT '' NOT NULL,
	"name" text NOT NULL,
	"description" text NOT NULL,
	"system_prompt" text NOT NULL,
	"model" text,
	"harness" text NOT NULL,
	"settings" jsonb NOT NULL,
	"granted_scopes" jsonb NOT NULL,
	"capabilities" jsonb NOT NULL,
	"pins" jsonb,
	"tokens" jsonb,
	CONSTRAINT "agent_revisions_agent_id_number_pk" PRIMARY KEY("agent_id","number")
);
--> statement-breakpoint
ALTER TABLE "runs" ADD COLUMN "revision" integer;--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "follows" jsonb;--> statement-breakpoint
ALTER TABLE "tokens" ADD COLUMN "follows" jsonb;--> statement-breakpoint
ALTER TABLE "agent_labels" ADD CONSTRAINT "agent_labels_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "agent_revisions" ADD CONSTRAINT "agent_revisions_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "runs_revision" ON "runs" USING btree ("agent_id","revision") WHERE revision is not null;