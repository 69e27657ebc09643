CREATE TABLE "memories" (
	"id" uuid PRIMARY KEY NOT NULL,
	"scope" text NOT NULL,
	"subject" text NOT NULL,
	"text" text NOT NULL,
	"keys" "tsvector" NOT NULL,
	"vector" "bytea",
	"labels" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"created_by" text NOT NULL,
	"agent_id" text,
	"session_id" uuid,
	"run_id" uuid,
	"call_id" text,
	"edited_by" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE INDEX "memories_owner" ON "memories" USING btree ("scope","subject","id");--> statement-breakpoint
CREATE INDEX "memories_keys" ON "memories" USING gin ("keys") WITH (fastupdate=false);