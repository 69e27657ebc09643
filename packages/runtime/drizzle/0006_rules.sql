CREATE TABLE "rules" (
	"id" uuid PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"agent_id" uuid,
	"tools" jsonb NOT NULL,
	"conditions" jsonb NOT NULL,
	"effect" text NOT NULL,
	"words" text,
	"expires_at" timestamp with time zone,
	"created_by" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "rules" ADD CONSTRAINT "rules_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "idx_rules_agent" ON "rules" USING btree ("agent_id");