CREATE TABLE "replay_items" (
	"id" uuid PRIMARY KEY NOT NULL,
	"replay_id" uuid NOT NULL,
	"position" integer NOT NULL,
	"run_id" uuid NOT NULL,
	"status" text DEFAULT 'queued' NOT NULL,
	"epoch" integer DEFAULT 0 NOT NULL,
	"lease_until" timestamp with time zone,
	"verdict" text,
	"comparison" json,
	"messages" json,
	"failure" json,
	"tokens" integer DEFAULT 0 NOT NULL,
	"cost_usd" double precision DEFAULT 0 NOT NULL,
	"ended_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "replays" (
	"id" uuid PRIMARY KEY NOT NULL,
	"owner" text NOT NULL,
	"status" text DEFAULT 'running' NOT NULL,
	"change" jsonb NOT NULL,
	"stand_ins" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"live_reads" boolean DEFAULT false NOT NULL,
	"concurrency" integer NOT NULL,
	"budget_usd" double precision,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"ended_at" timestamp with time zone
);
--> statement-breakpoint
ALTER TABLE "replay_items" ADD CONSTRAINT "replay_items_replay_id_replays_id_fk" FOREIGN KEY ("replay_id") REFERENCES "public"."replays"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "replay_items" ADD CONSTRAINT "replay_items_run_id_runs_id_fk" FOREIGN KEY ("run_id") REFERENCES "public"."runs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "replay_items_position" ON "replay_items" USING btree ("replay_id","position");--> statement-breakpoint
CREATE INDEX "replay_items_run" ON "replay_items" USING btree ("run_id");--> statement-breakpoint
CREATE INDEX "replay_items_open" ON "replay_items" USING btree ("replay_id","position") WHERE status in ('queued', 'running');--> statement-breakpoint
CREATE INDEX "replays_owner" ON "replays" USING btree ("owner","id");--> statement-breakpoint
CREATE INDEX "replays_running" ON "replays" USING btree ("id") WHERE status = 'running';