CREATE INDEX "runs_client" ON "runs" USING btree (md5(input->>'clientRunId')) WHERE input->>'clientRunId' is not null;--> statement-breakpoint
CREATE INDEX "idx_sessions_created" ON "sessions" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "idx_sessions_thread" ON "sessions" USING btree (md5(metadata->>'thread_id')) WHERE metadata->>'thread_id' is not null;