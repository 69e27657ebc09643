ALTER TABLE "organisations" ADD COLUMN "weight" double precision DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "weight" double precision DEFAULT 1 NOT NULL;