CREATE TABLE "session_summaries" (
	"id" uuid PRIMARY KEY NOT NULL,
	"session_id" uuid NOT NULL,
	"to_position" integer NOT NULL,
	"to_message_id" text NOT NULL,
	"text" text NOT NULL,
	"kept" json NOT NULL,
	"labels" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"run_id" uuid,
	"created_by" text DEFAULT '' NOT NULL,
	"usage" json,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "messages" ADD COLUMN "pinned_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "session_summaries" ADD CONSTRAINT "session_summaries_session_id_sessions_id_fk" FOREIGN KEY ("session_id") REFERENCES "public"."sessions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "session_summaries_place" ON "session_summaries" USING btree ("session_id","to_position");--> statement-breakpoint
CREATE INDEX "messages_pinned" ON "messages" USING btree ("session_id","position") WHERE pinned_at is not null;