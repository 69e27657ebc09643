CREATE TABLE "folder_works" (
	"id" uuid PRIMARY KEY NOT NULL,
	"session_id" uuid NOT NULL,
	"folder" text NOT NULL,
	"branch" text NOT NULL,
	"base" text NOT NULL,
	"start" text NOT NULL,
	"status" text DEFAULT 'open' NOT NULL,
	"commit" text,
	"settled_by" text,
	"settled_at" timestamp with time zone,
	"cleared_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX "idx_folder_works_open" ON "folder_works" USING btree ("session_id") WHERE status in ('open', 'applying');--> statement-breakpoint
CREATE INDEX "idx_folder_works_session" ON "folder_works" USING btree ("session_id","created_at");--> statement-breakpoint
CREATE INDEX "idx_folder_works_left" ON "folder_works" USING btree ("id") WHERE cleared_at is null;