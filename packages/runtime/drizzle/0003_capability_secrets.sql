CREATE TABLE "capability_secrets" (
	"capability" text NOT NULL,
	"name" text NOT NULL,
	"user_email" text NOT NULL,
	"secret" text NOT NULL,
	"updated_by" text NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "capability_secrets_capability_name_user_email_pk" PRIMARY KEY("capability","name","user_email")
);
