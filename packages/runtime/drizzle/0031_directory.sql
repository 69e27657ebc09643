CREATE TABLE "directory_groups" (
	"id" uuid PRIMARY KEY NOT NULL,
	"display_name" text NOT NULL,
	"external_id" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"deleted_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "directory_members" (
	"group_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	CONSTRAINT "directory_members_group_id_user_id_pk" PRIMARY KEY("group_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "directory_tokens" (
	"id" uuid PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"hash" text NOT NULL,
	"prefix" text NOT NULL,
	"created_by" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"last_used_at" timestamp with time zone,
	"revoked_at" timestamp with time zone,
	CONSTRAINT "directory_tokens_hash_unique" UNIQUE("hash")
);
--> statement-breakpoint
CREATE TABLE "directory_users" (
	"id" uuid PRIMARY KEY NOT NULL,
	"user_name" text NOT NULL,
	"external_id" text,
	"address" text,
	"active" boolean NOT NULL,
	"resource" jsonb NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"deleted_at" timestamp with time zone
);
--> statement-breakpoint
ALTER TABLE "identities" ADD COLUMN "sealed_tokens" text;--> statement-breakpoint
ALTER TABLE "identities" ADD COLUMN "checked_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "identities" ADD COLUMN "check_claimed_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "identities" ADD COLUMN "ended_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "directory_members" ADD CONSTRAINT "directory_members_group_id_directory_groups_id_fk" FOREIGN KEY ("group_id") REFERENCES "public"."directory_groups"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "directory_members" ADD CONSTRAINT "directory_members_user_id_directory_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."directory_users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "idx_directory_groups_name" ON "directory_groups" USING btree (lower("display_name")) WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "idx_directory_members_user" ON "directory_members" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "idx_directory_users_name" ON "directory_users" USING btree (lower("user_name")) WHERE deleted_at is null;--> statement-breakpoint
CREATE INDEX "idx_directory_users_lower_name" ON "directory_users" USING btree (lower("user_name"));--> statement-breakpoint
CREATE INDEX "idx_directory_users_external" ON "directory_users" USING btree ("external_id");--> statement-breakpoint
CREATE INDEX "idx_directory_users_address" ON "directory_users" USING btree ("address");