CREATE TABLE "agent_releases" (
	"agent_id" uuid PRIMARY KEY NOT NULL,
	"version" text NOT NULL,
	"offer" jsonb NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "agent_releases" ADD CONSTRAINT "agent_releases_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE cascade ON UPDATE no action;