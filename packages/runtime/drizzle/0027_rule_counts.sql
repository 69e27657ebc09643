CREATE TABLE "rule_counts" (
	"rule_id" uuid NOT NULL,
	"subject" text NOT NULL,
	"made_at" timestamp with time zone[] NOT NULL,
	CONSTRAINT "rule_counts_rule_id_subject_pk" PRIMARY KEY("rule_id","subject")
);
--> statement-breakpoint
ALTER TABLE "rules" ADD COLUMN "call_limit" jsonb;--> statement-breakpoint
ALTER TABLE "rule_counts" ADD CONSTRAINT "rule_counts_rule_id_rules_id_fk" FOREIGN KEY ("rule_id") REFERENCES "public"."rules"("id") ON DELETE cascade ON UPDATE no action;