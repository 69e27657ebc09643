/** The rights that a changed linked folder requests beyond those reviewed at installation. */
import type { PackageDescription, PackageRecord } from "../db/schema/package-record.ts";
import type { PackageReview } from "./package-review.ts";

/** Undefined = nothing. */
export function needsReview(
  { update }: PackageReview,
  description: PackageDescription,
  before: PackageRecord,
): string | undefined {
  const { dependencies, name } = before.description;
  if (description.name !== name) return `it is now called ${description.name}`;
  if (description.must_run_code) return "it has no manifest, so that it must run to describe itself";
  if (update?.permissions?.grows) return "it asks for more rights than before";
  return description.dependencies.join() === dependencies.join() ? undefined : "its dependencies changed";
}
