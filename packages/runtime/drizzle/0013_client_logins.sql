CREATE TABLE "client_logins" (
	"id" uuid PRIMARY KEY NOT NULL,
	"client_id" text NOT NULL,
	"client_name" text NOT NULL,
	"redirect_uri" text NOT NULL,
	"resource" text NOT NULL,
	"scopes" jsonb NOT NULL,
	"agent_id" uuid NOT NULL,
	"user_email" text NOT NULL,
	"code_hash" text NOT NULL,
	"code_challenge" text NOT NULL,
	"code_expires_at" timestamp with time zone NOT NULL,
	"code_used_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"last_used_at" timestamp with time zone,
	"revoked_at" timestamp with time zone,
	CONSTRAINT "client_logins_code_hash_unique" UNIQUE("code_hash")
);
--> statement-breakpoint
CREATE TABLE "client_refresh_tokens" (
	"hash" text PRIMARY KEY NOT NULL,
	"login_id" uuid NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"used_at" timestamp with time zone
);
--> statement-breakpoint
ALTER TABLE "tokens" ADD COLUMN "login_id" uuid;--> statement-breakpoint
ALTER TABLE "client_logins" ADD CONSTRAINT "client_logins_agent_id_agents_id_fk" FOREIGN KEY ("agent_id") REFERENCES "public"."agents"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "client_refresh_tokens" ADD CONSTRAINT "client_refresh_tokens_login_id_client_logins_id_fk" FOREIGN KEY ("login_id") REFERENCES "public"."client_logins"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "idx_client_logins_user" ON "client_logins" USING btree ("user_email","id");--> statement-breakpoint
CREATE INDEX "idx_client_refresh_login" ON "client_refresh_tokens" USING btree ("login_id");--> statement-breakpoint
ALTER TABLE "tokens" ADD CONSTRAINT "tokens_login_id_client_logins_id_fk" FOREIGN KEY ("login_id") REFERENCES "public"."client_logins"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "idx_tokens_login" ON "tokens" USING btree ("login_id");