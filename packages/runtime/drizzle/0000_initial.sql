CREATE TABLE "agent_capabilities" (
	"id" uuid PRIMARY KEY NOT NULL,
	"agent_id" uuid NOT NULL,
	"capability_id" varchar(50) NOT NULL,
	"position" integer DEFAULT 0 NOT NULL,
	"config" jsonb,
	"prefix" text,
	"version" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "agent_capabilities_agent_id_capability_id_key" UNIQUE("agent_id","capability_id")
);
--> statement-breakpoint
CREATE TABLE "agents" (
	"id" uuid PRIMARY KEY NOT NULL,
	"owner" text NOT NULL,
	"name" text NOT NULL,
	"description" text DEFAULT '' NOT NULL,
	"version" integer DEFAULT 1 NOT NULL,
	"status" text DEFAULT 'active' NOT NULL,
	"system_prompt" text DEFAULT '' NOT NULL,
	"model" text,
	"harness" text DEFAULT 'native' NOT NULL,
	"settings" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"granted_scopes" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "package_archives" (
	"sha256" text PRIMARY KEY NOT NULL,
	"bytes" "bytea" NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "packages" (
	"name" text PRIMARY KEY NOT NULL,
	"sha256" text NOT NULL,
	"record" jsonb NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "approvals" (
	"id" uuid PRIMARY KEY NOT NULL,
	"run_id" uuid,
	"session_id" uuid,
	"agent_id" text NOT NULL,
	"user_email" text NOT NULL,
	"capability_id" text NOT NULL,
	"tool" text NOT NULL,
	"call_id" text NOT NULL,
	"arguments" json NOT NULL,
	"reason" text NOT NULL,
	"status" text DEFAULT 'pending' NOT NULL,
	"expiry" json NOT NULL,
	"expires_at" timestamp with time zone,
	"assignee" text NOT NULL,
	"decided_by" text,
	"decided_at" timestamp with time zone,
	"words" text,
	"edited_arguments" json,
	"config" json,
	"result" json,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "events" (
	"session_id" uuid NOT NULL,
	"last_seq" integer NOT NULL,
	"first_seq" integer NOT NULL,
	"run_id" uuid NOT NULL,
	"payload" json NOT NULL,
	CONSTRAINT "events_session_id_last_seq_pk" PRIMARY KEY("session_id","last_seq")
);
--> statement-breakpoint
CREATE TABLE "executors" (
	"id" text PRIMARY KEY NOT NULL,
	"seen" timestamp with time zone NOT NULL,
	"details" jsonb DEFAULT '{}'::jsonb NOT NULL
);
--> statement-breakpoint
CREATE TABLE "feedback" (
	"session_id" uuid NOT NULL,
	"message_id" text NOT NULL,
	"user_email" text NOT NULL,
	"value" text NOT NULL,
	"words" text DEFAULT '' NOT NULL,
	"told" boolean DEFAULT false NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "feedback_session_id_message_id_user_email_pk" PRIMARY KEY("session_id","message_id","user_email")
);
--> statement-breakpoint
CREATE TABLE "harness_sessions" (
	"session_id" uuid PRIMARY KEY NOT NULL,
	"harness" text NOT NULL,
	"cli_session" text,
	"run_id" uuid NOT NULL,
	"epoch" integer NOT NULL,
	"active" boolean NOT NULL,
	"knows" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "messages" (
	"session_id" uuid NOT NULL,
	"position" integer NOT NULL,
	"id" text NOT NULL,
	"run_id" uuid NOT NULL,
	"role" text NOT NULL,
	"content" json NOT NULL,
	"usage" json,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "messages_session_id_position_pk" PRIMARY KEY("session_id","position")
);
--> statement-breakpoint
CREATE TABLE "runs" (
	"id" uuid PRIMARY KEY NOT NULL,
	"session_id" uuid NOT NULL,
	"agent_id" text NOT NULL,
	"status" text NOT NULL,
	"epoch" integer DEFAULT 1 NOT NULL,
	"segment" integer DEFAULT 0 NOT NULL,
	"launch" integer DEFAULT 0 NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"owner" text DEFAULT '' NOT NULL,
	"message_id" text NOT NULL,
	"input" json NOT NULL,
	"pending" json,
	"outcome" json,
	"usage" json,
	"start_seq" integer DEFAULT 0 NOT NULL,
	"parent_run_id" uuid,
	"parent_call_id" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "webhook_deliveries" (
	"run_id" uuid PRIMARY KEY NOT NULL,
	"url" text NOT NULL,
	"payload" json NOT NULL,
	"status" text DEFAULT 'due' NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"next_at" timestamp with time zone DEFAULT now() NOT NULL,
	"last_error" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "session_files" (
	"session_id" uuid NOT NULL,
	"path" text NOT NULL,
	"parent" text NOT NULL,
	"is_directory" boolean DEFAULT false NOT NULL,
	"is_readonly" boolean DEFAULT false NOT NULL,
	"size_bytes" bigint DEFAULT 0 NOT NULL,
	"is_text" boolean DEFAULT true NOT NULL,
	"content" "bytea",
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "session_files_session_id_path_pk" PRIMARY KEY("session_id","path")
);
--> statement-breakpoint
CREATE TABLE "sessions" (
	"id" uuid PRIMARY KEY NOT NULL,
	"agent_id" uuid,
	"owner" text NOT NULL,
	"title" text DEFAULT '' NOT NULL,
	"status" text DEFAULT 'idle' NOT NULL,
	"state" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"metadata" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"forked_from" uuid,
	"file_bytes" bigint DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "capability_breakers" (
	"capability_id" text PRIMARY KEY NOT NULL,
	"state" text NOT NULL,
	"failures" integer NOT NULL,
	"opened_at" timestamp with time zone,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "documents" (
	"id" uuid PRIMARY KEY NOT NULL,
	"owner" text NOT NULL,
	"title" text NOT NULL,
	"body" text NOT NULL,
	"embedding" jsonb,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "tasks" (
	"id" uuid PRIMARY KEY NOT NULL,
	"owner" text NOT NULL,
	"key" text NOT NULL,
	"request_hash" text NOT NULL,
	"request" jsonb NOT NULL,
	"response" jsonb,
	"status" text DEFAULT 'running' NOT NULL,
	"lease_owner" text NOT NULL,
	"lease_until" timestamp with time zone NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "tasks_owner_key" UNIQUE("owner","key")
);
--> statement-breakpoint
CREATE TABLE "call_history" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"ts" timestamp with time zone NOT NULL,
	"path" text NOT NULL,
	"capability_id" text NOT NULL,
	"tool" text NOT NULL,
	"agent_id" text,
	"session_id" text,
	"run_id" text,
	"step" smallint NOT NULL,
	"latency_ms" integer NOT NULL,
	"failure_class" text NOT NULL,
	"fallback_used" boolean NOT NULL,
	"status" smallint
);
--> statement-breakpoint
CREATE TABLE "observations" (
	"agent_id" text NOT NULL,
	"model" text NOT NULL,
	"feature" text NOT NULL,
	"seen_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "observations_agent_id_model_feature_pk" PRIMARY KEY("agent_id","model","feature")
);
--> statement-breakpoint
CREATE TABLE "approval_collections" (
	"approval_id" uuid PRIMARY KEY NOT NULL,
	"collected_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "tokens" (
	"id" uuid PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"name" text DEFAULT '' NOT NULL,
	"agent_id" uuid NOT NULL,
	"run_id" uuid,
	"session_id" uuid,
	"user_email" text NOT NULL,
	"hash" text NOT NULL,
	"prefix" text NOT NULL,
	"max_calls" integer,
	"calls" integer DEFAULT 0 NOT NULL,
	"expires_at" timestamp with time zone,
	"revoked_at" timestamp with time zone,
	"created_by" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"last_used_at" timestamp with time zone,
	CONSTRAINT "tokens_hash_unique" UNIQUE("hash")
);
--> statement-breakpoint
CREATE TABLE "schedules" (
	"id" uuid PRIMARY KEY NOT NULL,
	"capability" text NOT NULL,
	"user_email" text NOT NULL,
	"cron" text NOT NULL,
	"timezone" text DEFAULT 'UTC' NOT NULL,
	"type" text NOT NULL,
	"payload" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"routing" jsonb,
	"enabled" boolean DEFAULT true NOT NULL,
	"last_fired_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "api_keys" (
	"id" uuid PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"owner" text NOT NULL,
	"hash" text NOT NULL,
	"prefix" text NOT NULL,
	"rights" jsonb NOT NULL,
	"per_minute" integer NOT NULL,
	"revoked" boolean DEFAULT false NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"last_used_at" timestamp with time zone,
	CONSTRAINT "api_keys_hash_unique" UNIQUE("hash")
);
--> statement-breakpoint
CREATE TABLE "audit_log" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"actor" text NOT NULL,
	"action" text NOT NULL,
	"subject" text NOT NULL,
	"details" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "capability_data" (
	"capability_id" text NOT NULL,
	"scope" text NOT NULL,
	"key" text NOT NULL,
	"value" jsonb NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "capability_data_capability_id_scope_key_pk" PRIMARY KEY("capability_id","scope","key")
);
--> statement-breakpoint
CREATE TABLE "capability_documents" (
	"id" text PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"version" text NOT NULL,
	"document" jsonb NOT NULL,
	"created_by" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "grants" (
	"id" uuid PRIMARY KEY NOT NULL,
	"subject" text NOT NULL,
	"scope" text NOT NULL,
	"granted_by" text NOT NULL,
	"reason" text DEFAULT '' NOT NULL,
	"expires_at" timestamp with time zone,
	"revoked_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "provider_keys" (
	"provider" text PRIMARY KEY NOT NULL,
	"secret" text,
	"base_url" text,
	"settings" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "users" (
	"email" text PRIMARY KEY NOT NULL,
	"scopes" jsonb DEFAULT '[]'::jsonb NOT NULL,
	"preferences" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "agent_capabilities" ADD CONSTRAINT "agent_capabilities_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "approvals" ADD CONSTRAINT "approvals_run_id_runs_id_fk" FOREIGN KEY ("run_id") REFERENCES "public"."runs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "feedback" ADD CONSTRAINT "feedback_session_id_sessions_id_fk" FOREIGN KEY ("session_id") REFERENCES "public"."sessions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "harness_sessions" ADD CONSTRAINT "harness_sessions_session_id_sessions_id_fk" FOREIGN KEY ("session_id") REFERENCES "public"."sessions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "runs" ADD CONSTRAINT "runs_session_id_sessions_id_fk" FOREIGN KEY ("session_id") REFERENCES "public"."sessions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_run_id_runs_id_fk" FOREIGN KEY ("run_id") REFERENCES "public"."runs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "session_files" ADD CONSTRAINT "session_files_session_id_sessions_id_fk" FOREIGN KEY ("session_id") REFERENCES "public"."sessions"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "approval_collections" ADD CONSTRAINT "approval_collections_approval_id_approvals_id_fk" FOREIGN KEY ("approval_id") REFERENCES "public"."approvals"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tokens" ADD CONSTRAINT "tokens_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tokens" ADD CONSTRAINT "tokens_run_id_runs_id_fk" FOREIGN KEY ("run_id") REFERENCES "public"."runs"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "idx_agent_capabilities_agent_id" ON "agent_capabilities" USING btree ("agent_id");--> statement-breakpoint
CREATE INDEX "idx_agent_capabilities_position" ON "agent_capabilities" USING btree ("agent_id","position");--> statement-breakpoint
CREATE INDEX "idx_agent_capabilities_capability_id" ON "agent_capabilities" USING btree ("capability_id");--> statement-breakpoint
CREATE INDEX "idx_packages_sha256" ON "packages" USING btree ("sha256");--> statement-breakpoint
CREATE INDEX "approvals_created" ON "approvals" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "approvals_pending" ON "approvals" USING btree ("expires_at") WHERE status = 'pending';--> statement-breakpoint
CREATE INDEX "approvals_run" ON "approvals" USING btree ("run_id");--> statement-breakpoint
CREATE INDEX "approvals_unexecuted" ON "approvals" USING btree ("decided_at") WHERE status = 'approved' and run_id is null and result is null;--> statement-breakpoint
CREATE UNIQUE INDEX "runs_message" ON "runs" USING btree ("session_id","message_id");--> statement-breakpoint
CREATE UNIQUE INDEX "runs_one_active" ON "runs" USING btree ("session_id") WHERE status in ('running', 'waiting');--> statement-breakpoint
CREATE INDEX "runs_owner" ON "runs" USING btree ("owner") WHERE status = 'running';--> statement-breakpoint
CREATE INDEX "runs_queued" ON "runs" USING btree ("session_id","created_at") WHERE status = 'queued';--> statement-breakpoint
CREATE INDEX "runs_parent" ON "runs" USING btree ("parent_run_id") WHERE parent_run_id is not null;--> statement-breakpoint
CREATE INDEX "webhook_deliveries_due" ON "webhook_deliveries" USING btree ("next_at") WHERE status = 'due';--> statement-breakpoint
CREATE INDEX "idx_session_files_parent" ON "session_files" USING btree ("session_id","parent");--> statement-breakpoint
CREATE INDEX "idx_sessions_owner" ON "sessions" USING btree ("owner","id");--> statement-breakpoint
CREATE INDEX "idx_sessions_agent" ON "sessions" USING btree ("agent_id","id");--> statement-breakpoint
CREATE INDEX "idx_documents_owner" ON "documents" USING btree ("owner");--> statement-breakpoint
CREATE INDEX "idx_documents_words" ON "documents" USING gin (to_tsvector('simple', title || ' ' || body));--> statement-breakpoint
CREATE INDEX "idx_tasks_running" ON "tasks" USING btree ("lease_until") WHERE status = 'running';--> statement-breakpoint
CREATE INDEX "idx_call_history_ts" ON "call_history" USING btree ("ts");--> statement-breakpoint
CREATE INDEX "idx_tokens_agent" ON "tokens" USING btree ("agent_id","id");--> statement-breakpoint
CREATE INDEX "idx_tokens_run" ON "tokens" USING btree ("run_id");--> statement-breakpoint
CREATE INDEX "idx_schedules_user" ON "schedules" USING btree ("user_email");--> statement-breakpoint
CREATE INDEX "idx_audit_created" ON "audit_log" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "idx_grants_subject" ON "grants" USING btree ("subject");