ALTER TABLE "rules" ADD COLUMN "owner" text;--> statement-breakpoint
ALTER TABLE "rules" ADD COLUMN "ask" jsonb;--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "labels" jsonb DEFAULT '{}'::jsonb NOT NULL;