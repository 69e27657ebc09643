ALTER TABLE "runs" ADD COLUMN "left_at" timestamp with time zone;--> statement-breakpoint
CREATE INDEX "runs_left" ON "runs" USING btree ("left_at") WHERE left_at is not null;