CREATE TABLE "capability_document_versions" (
	"id" text NOT NULL,
	"version" text NOT NULL,
	"document" jsonb NOT NULL,
	"created_by" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "capability_document_versions_id_version_pk" PRIMARY KEY("id","version")
);
