ALTER TABLE "sessions" ADD COLUMN "continue_in" jsonb;--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "comparison_id" uuid;--> statement-breakpoint
CREATE INDEX "idx_sessions_comparison" ON "sessions" USING btree ("comparison_id") WHERE comparison_id is not null;