DROP INDEX "runs_client";--> statement-breakpoint
DROP INDEX "runs_revision";--> statement-breakpoint
ALTER TABLE "usage_fresh" ADD COLUMN "calls" integer DEFAULT 1 NOT NULL;--> statement-breakpoint
CREATE INDEX "runs_client_hash" ON "runs" USING btree (hashtext(input->>'clientRunId')) WHERE input->>'clientRunId' is not null;--> statement-breakpoint
CREATE INDEX "runs_revision_hash" ON "runs" USING btree (hashtext(agent_id),"revision") WHERE revision is not null;