ALTER TABLE "call_history" ADD COLUMN "call_id" text;--> statement-breakpoint
ALTER TABLE "call_history" ADD COLUMN "user_email" text;--> statement-breakpoint
ALTER TABLE "call_history" ADD COLUMN "decision" jsonb;--> statement-breakpoint
CREATE INDEX "idx_call_history_call" ON "call_history" USING hash ("call_id");