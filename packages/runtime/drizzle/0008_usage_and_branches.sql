CREATE TABLE "tool_hours" (
	"hour" timestamp with time zone NOT NULL,
	"capability_id" text NOT NULL,
	"tool" text NOT NULL,
	"agent_id" text NOT NULL,
	"user_email" text NOT NULL,
	"latency_bucket" smallint NOT NULL,
	"calls" bigint DEFAULT 0 NOT NULL,
	"failures" bigint DEFAULT 0 NOT NULL,
	"total_ms" bigint DEFAULT 0 NOT NULL,
	"max_ms" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "tool_hours_pk" PRIMARY KEY("hour","capability_id","tool","agent_id","user_email","latency_bucket")
);
--> statement-breakpoint
CREATE TABLE "usage_fresh" (
	"id" bigserial PRIMARY KEY NOT NULL,
	"at" timestamp with time zone DEFAULT now() NOT NULL,
	"agent_id" text NOT NULL,
	"model" text NOT NULL,
	"user_email" text NOT NULL,
	"input_tokens" bigint DEFAULT 0 NOT NULL,
	"output_tokens" bigint DEFAULT 0 NOT NULL,
	"cached_input_tokens" bigint DEFAULT 0 NOT NULL,
	"reasoning_tokens" bigint DEFAULT 0 NOT NULL,
	"cost_usd" double precision
);
--> statement-breakpoint
CREATE TABLE "usage_hours" (
	"hour" timestamp with time zone NOT NULL,
	"agent_id" text NOT NULL,
	"model" text NOT NULL,
	"user_email" text NOT NULL,
	"calls" bigint DEFAULT 0 NOT NULL,
	"input_tokens" bigint DEFAULT 0 NOT NULL,
	"output_tokens" bigint DEFAULT 0 NOT NULL,
	"cached_input_tokens" bigint DEFAULT 0 NOT NULL,
	"reasoning_tokens" bigint DEFAULT 0 NOT NULL,
	"cost_usd" double precision DEFAULT 0 NOT NULL,
	"unpriced_calls" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "usage_hours_hour_agent_id_model_user_email_pk" PRIMARY KEY("hour","agent_id","model","user_email")
);
--> statement-breakpoint
ALTER TABLE "approvals" ADD COLUMN "allowable" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "fork_position" integer;--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "conversation_id" uuid;--> statement-breakpoint
ALTER TABLE "schedules" ADD COLUMN "resumed_at" timestamp with time zone;--> statement-breakpoint
CREATE INDEX "idx_sessions_family" ON "sessions" USING btree ("conversation_id") WHERE conversation_id is not null;