CREATE TABLE "text_checks" (
	"id" uuid PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"agent_id" uuid,
	"find" jsonb NOT NULL,
	"effect" text NOT NULL,
	"words" text,
	"expires_at" timestamp with time zone,
	"created_by" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "text_checks" ADD CONSTRAINT "text_checks_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE cascade ON UPDATE no action;