CREATE TABLE "package_versions" (
	"name" text NOT NULL,
	"version" text NOT NULL,
	"sha256" text NOT NULL,
	"record" jsonb NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "package_versions_name_version_pk" PRIMARY KEY("name","version")
);
