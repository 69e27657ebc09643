DROP INDEX "runs_message";--> statement-breakpoint
DROP INDEX "runs_client_hash";--> statement-breakpoint
DROP INDEX "runs_revision_hash";--> statement-breakpoint
DROP INDEX "idx_call_history_ts";--> statement-breakpoint
CREATE UNIQUE INDEX "runs_message" ON "runs" USING btree ("session_id",hashtextextended(message_id, 0));--> statement-breakpoint
CREATE INDEX "runs_client_hash" ON "runs" USING btree (hashtext(input->>'clientRunId')) WHERE input->>'clientRunId' is not null and status in ('done', 'failed', 'cancelled');--> statement-breakpoint
CREATE INDEX "runs_revision_hash" ON "runs" USING btree (hashtext(agent_id),"revision") WHERE revision is not null and status in ('done', 'failed', 'cancelled');--> statement-breakpoint
CREATE INDEX "idx_call_history_ts" ON "call_history" USING brin ("ts");