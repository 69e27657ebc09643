CREATE TABLE "monitor_alerts" (
	"id" uuid PRIMARY KEY NOT NULL,
	"monitor_id" uuid NOT NULL,
	"scorer" text NOT NULL,
	"revision" integer NOT NULL,
	"against" integer NOT NULL,
	"finding" json NOT NULL,
	"acknowledged_by" text,
	"acknowledged_at" timestamp with time zone,
	"url" text DEFAULT '' NOT NULL,
	"payload" json NOT NULL,
	"status" text NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"next_at" timestamp with time zone DEFAULT now() NOT NULL,
	"last_error" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "monitor_revisions" (
	"monitor_id" uuid NOT NULL,
	"revision" integer NOT NULL,
	"scored" integer DEFAULT 0 NOT NULL,
	"looks" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "monitor_revisions_monitor_id_revision_pk" PRIMARY KEY("monitor_id","revision")
);
--> statement-breakpoint
CREATE TABLE "monitor_scores" (
	"id" uuid PRIMARY KEY NOT NULL,
	"monitor_id" uuid NOT NULL,
	"run_id" uuid NOT NULL,
	"position" integer NOT NULL,
	"revision" integer,
	"status" text DEFAULT 'queued' NOT NULL,
	"epoch" integer DEFAULT 0 NOT NULL,
	"lease_until" timestamp with time zone,
	"scores" json,
	"failure" json,
	"tokens" integer DEFAULT 0 NOT NULL,
	"cost_usd" double precision DEFAULT 0 NOT NULL,
	"ended_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "monitors" (
	"id" uuid PRIMARY KEY NOT NULL,
	"owner" text NOT NULL,
	"everybody" boolean NOT NULL,
	"name" text NOT NULL,
	"agent_id" uuid NOT NULL,
	"scorers" jsonb NOT NULL,
	"share" double precision NOT NULL,
	"budget_usd" double precision,
	"scrub" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"every_runs" integer NOT NULL,
	"drop" double precision NOT NULL,
	"webhook_url" text,
	"status" text DEFAULT 'running' NOT NULL,
	"concurrency" integer NOT NULL,
	"scanned_to" uuid NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "monitor_alerts" ADD CONSTRAINT "monitor_alerts_monitor_id_monitors_id_fk" FOREIGN KEY ("monitor_id") REFERENCES "public"."monitors"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "monitor_revisions" ADD CONSTRAINT "monitor_revisions_monitor_id_monitors_id_fk" FOREIGN KEY ("monitor_id") REFERENCES "public"."monitors"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "monitor_scores" ADD CONSTRAINT "monitor_scores_monitor_id_monitors_id_fk" FOREIGN KEY ("monitor_id") REFERENCES "public"."monitors"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "monitor_scores" ADD CONSTRAINT "monitor_scores_run_id_runs_id_fk" FOREIGN KEY ("run_id") REFERENCES "public"."runs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "monitors" ADD CONSTRAINT "monitors_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "monitor_alerts_once" ON "monitor_alerts" USING btree ("monitor_id","scorer","revision");--> statement-breakpoint
CREATE INDEX "monitor_alerts_due" ON "monitor_alerts" USING btree ("next_at") WHERE status = 'due';--> statement-breakpoint
CREATE UNIQUE INDEX "monitor_scores_run" ON "monitor_scores" USING btree ("monitor_id","run_id");--> statement-breakpoint
CREATE INDEX "monitor_scores_of_run" ON "monitor_scores" USING btree ("run_id");--> statement-breakpoint
CREATE INDEX "monitor_scores_ended" ON "monitor_scores" USING btree ("monitor_id","ended_at");--> statement-breakpoint
CREATE INDEX "monitor_scores_open" ON "monitor_scores" USING btree ("monitor_id","position") WHERE status in ('queued', 'running');--> statement-breakpoint
CREATE INDEX "monitors_owner" ON "monitors" USING btree ("owner","id");