CREATE TABLE "dataset_items" (
	"row_id" uuid PRIMARY KEY NOT NULL,
	"dataset_id" uuid NOT NULL,
	"item_id" text NOT NULL,
	"position" integer NOT NULL,
	"from_version" integer NOT NULL,
	"to_version" integer,
	"item" json NOT NULL,
	"scrubbed" json NOT NULL,
	"source" json NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "dataset_versions" (
	"dataset_id" uuid NOT NULL,
	"number" integer NOT NULL,
	"by" text NOT NULL,
	"at" timestamp with time zone DEFAULT now() NOT NULL,
	"why" text DEFAULT '' NOT NULL,
	"added" integer NOT NULL,
	"changed" integer NOT NULL,
	"removed" integer NOT NULL,
	"items" integer NOT NULL,
	CONSTRAINT "dataset_versions_dataset_id_number_pk" PRIMARY KEY("dataset_id","number")
);
--> statement-breakpoint
CREATE TABLE "datasets" (
	"id" uuid PRIMARY KEY NOT NULL,
	"owner" text NOT NULL,
	"name" text NOT NULL,
	"description" text DEFAULT '' NOT NULL,
	"version" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "dataset_items" ADD CONSTRAINT "dataset_items_dataset_id_datasets_id_fk" FOREIGN KEY ("dataset_id") REFERENCES "public"."datasets"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "dataset_versions" ADD CONSTRAINT "dataset_versions_dataset_id_datasets_id_fk" FOREIGN KEY ("dataset_id") REFERENCES "public"."datasets"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "dataset_items_newest" ON "dataset_items" USING btree ("dataset_id","item_id") WHERE to_version is null;--> statement-breakpoint
CREATE INDEX "dataset_items_position" ON "dataset_items" USING btree ("dataset_id","position");--> statement-breakpoint
CREATE UNIQUE INDEX "datasets_owner_name" ON "datasets" USING btree ("owner","name");