CREATE TABLE "experiment_cells" (
	"id" uuid PRIMARY KEY NOT NULL,
	"experiment_id" uuid NOT NULL,
	"position" integer NOT NULL,
	"row_id" uuid NOT NULL,
	"variant" integer NOT NULL,
	"repeat" integer NOT NULL,
	"status" text DEFAULT 'queued' NOT NULL,
	"epoch" integer DEFAULT 0 NOT NULL,
	"lease_until" timestamp with time zone,
	"verdict" text,
	"comparison" json,
	"messages" json,
	"scores" json,
	"failure" json,
	"tokens" integer DEFAULT 0 NOT NULL,
	"cost_usd" double precision DEFAULT 0 NOT NULL,
	"judge_usd" double precision DEFAULT 0 NOT NULL,
	"model_ms" integer DEFAULT 0 NOT NULL,
	"ended_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "experiment_reviews" (
	"id" uuid PRIMARY KEY NOT NULL,
	"cell_id" uuid NOT NULL,
	"scorer" text NOT NULL,
	"by" text NOT NULL,
	"score" double precision NOT NULL,
	"note" text DEFAULT '' NOT NULL,
	"at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "experiments" (
	"id" uuid PRIMARY KEY NOT NULL,
	"owner" text NOT NULL,
	"name" text DEFAULT '' NOT NULL,
	"dataset_id" uuid NOT NULL,
	"dataset_version" integer NOT NULL,
	"agent_id" text NOT NULL,
	"variants" jsonb NOT NULL,
	"scorers" jsonb NOT NULL,
	"repeats" integer NOT NULL,
	"status" text DEFAULT 'running' NOT NULL,
	"live_reads" boolean DEFAULT false NOT NULL,
	"concurrency" integer NOT NULL,
	"budget_usd" double precision,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"ended_at" timestamp with time zone
);
--> statement-breakpoint
ALTER TABLE "experiment_cells" ADD CONSTRAINT "experiment_cells_experiment_id_experiments_id_fk" FOREIGN KEY ("experiment_id") REFERENCES "public"."experiments"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "experiment_cells" ADD CONSTRAINT "experiment_cells_row_id_dataset_items_row_id_fk" FOREIGN KEY ("row_id") REFERENCES "public"."dataset_items"("row_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "experiment_reviews" ADD CONSTRAINT "experiment_reviews_cell_id_experiment_cells_id_fk" FOREIGN KEY ("cell_id") REFERENCES "public"."experiment_cells"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "experiments" ADD CONSTRAINT "experiments_dataset_id_datasets_id_fk" FOREIGN KEY ("dataset_id") REFERENCES "public"."datasets"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "experiment_cells_position" ON "experiment_cells" USING btree ("experiment_id","position");--> statement-breakpoint
CREATE INDEX "experiment_cells_row" ON "experiment_cells" USING btree ("row_id");--> statement-breakpoint
CREATE INDEX "experiment_cells_open" ON "experiment_cells" USING btree ("experiment_id","position") WHERE status in ('queued', 'running');--> statement-breakpoint
CREATE UNIQUE INDEX "experiment_reviews_person" ON "experiment_reviews" USING btree ("cell_id","scorer","by");--> statement-breakpoint
CREATE INDEX "experiments_owner" ON "experiments" USING btree ("owner","id");--> statement-breakpoint
CREATE INDEX "experiments_running" ON "experiments" USING btree ("id") WHERE status = 'running';