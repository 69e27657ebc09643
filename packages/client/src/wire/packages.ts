/** Packages and their services. */
import { z } from "zod";
import {
  BrokenAgents,
  countedPageOf,
  FLOW_SHAPE,
  JsonObject,
  listOf,
  NamedAgent,
  PageQuery,
  queryFlag,
  queryText,
  WireFailure,
} from "./page.ts";

const PackageKind = z.enum(["wheel", "npm", "mcp", "skill", "openapi", "document"]);

export const PackageTool = z.object({
  name: z.string(),
  description: z.string(),
  scopes: z.array(z.string()),
  reads: FLOW_SHAPE.reads.optional(),
  writes: FLOW_SHAPE.writes.optional(),
});
export type PackageTool = z.infer<typeof PackageTool>;

const PackageConnection = z.object({ provider: z.string(), scopes: z.array(z.string()).readonly() });

/** What a package adds, as far as known without running it. */
export const PackageDescription = z.object({
  name: z.string(),
  version: z.string(),
  role: z.enum(["cli", "rt", "other"]),
  capability: z.string().optional(),
  summary: z.string().optional(),
  tools: z.array(PackageTool),
  scopes: z.array(z.string()),
  commands: z.array(z.string()),
  dependencies: z.array(z.string()),
  install_scripts: z.array(z.string()),
  skills: z.array(z.string()),
  service: z
    .object({ container: z.string(), port: z.int().optional(), health_endpoint: z.string().optional() })
    .optional(),
  hosts: z
    .array(z.string())
    .optional()
    .meta({ description: "Hosts that its tools call, if a document names them." }),
  connections: z
    .array(PackageConnection)
    .optional()
    .meta({ description: "Accounts of the user that its tools use, if any." }),
  unused_fields: z.array(z.string()).optional().meta({ description: "Manifest fields that nothing reads." }),
  must_run_code: z.boolean(),
});
export type PackageDescription = z.infer<typeof PackageDescription>;

/** The permission diff keeps core's names. */
const Names = z.array(z.string()).readonly();
const PermissionDiff = z.object({
  scopesAdded: Names,
  scopesRemoved: Names,
  actionsAdded: Names,
  actionsRemoved: Names,
  actionsChanged: z
    .array(
      z.object({
        action: z.string(),
        scopesAdded: Names,
        scopesRemoved: Names,
        approvalDropped: z.boolean(),
        riskLowered: z.boolean(),
      }),
    )
    .readonly(),
  commandChanged: z.object({ from: z.string(), to: z.string() }).optional(),
  serviceChanged: z.boolean(),
  skillsAdded: Names,
  connectionsAdded: z.array(PackageConnection).readonly(),
  grows: z.boolean(),
});

const ResolvedDependency = z.object({
  name: z.string().meta({ description: "What it is called in the registry." }),
  version: z.string(),
  hash: z.string(),
  installed_as: z
    .string()
    .optional()
    .meta({ description: "The other name (alias) under which the package's code finds it." }),
  inside: z
    .string()
    .optional()
    .meta({ description: "The dependency in whose archive it lies; the hash is that archive's." }),
});

export const PackageReview = z
  .object({
    ...PackageDescription.shape,
    kind: PackageKind,
    origin: z.string(),
    sha256: z.string(),
    size_bytes: z.int(),
    unpacked_bytes: z.int(),
    files: z.int(),
    resolved_dependencies: z
      .array(ResolvedDependency)
      .meta({ description: "Everything installed with it, transitively, each with its hash." }),
    dependencies_sha256: z
      .string()
      .optional()
      .meta({ description: "Hash of that list; absent when there are no dependencies." }),
    not_isolated: z
      .array(z.string())
      .meta({ description: "What cannot be isolated on the server's system." }),
    update: z
      .object({ from_version: z.string(), same_content: z.boolean(), permissions: PermissionDiff.optional() })
      .optional(),
  })
  .meta({ id: "PackageReview" });
export type PackageReview = z.infer<typeof PackageReview>;

export const PackageSource = z
  .strictObject({
    source: z
      .string()
      .min(1)
      .max(4000)
      .meta({ description: "A path on the server's machine, an npm name, a command line or a URL." }),
    kind: PackageKind.optional(),
    bytes: z.base64().optional().meta({ description: "The archive itself, uploaded by the client." }),
    run_to_describe: z
      .boolean()
      .optional()
      .meta({ description: "Allow running it once, isolated, so that it can describe itself." }),
  })
  .meta({ id: "PackageSource" });
export type PackageSource = z.input<typeof PackageSource>;

export const PackageInstall = PackageSource.extend({
  yes: z.boolean().default(false).meta({ description: "Accept the review." }),
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/, "must be 64 hexadecimal digits")
    .optional()
    .meta({ description: "The reviewed hash; other bytes are refused." }),
  dependencies_sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/, "must be 64 hexadecimal digits")
    .optional()
    .meta({ description: "The reviewed hash of the dependency list, when there are any." }),
  allow_scripts: z.boolean().optional(),
  link: z.boolean().optional().meta({
    description:
      "Watch the folder and take its changes without a review, as long as they ask for nothing more.",
  }),
  grant: z
    .array(z.string().min(1).max(200))
    .max(100)
    .optional()
    .meta({ description: "Scopes to grant to the calling user." }),
}).meta({ id: "PackageInstall" });
export type PackageInstall = z.input<typeof PackageInstall>;

export const YamlPackageQuery = z
  .strictObject({
    name: z.string().max(200).optional().meta({ description: "The file's name, for a body in YAML." }),
    yes: queryFlag().optional().meta({ description: "Accept the review, for a body in YAML." }),
    sha256: z.string().optional().meta({ description: "The reviewed hash, for a body in YAML." }),
  })
  .meta({ id: "YamlPackageQuery" });

export const PackageWrap = z
  .strictObject({
    source: z.string().min(1).max(400).meta({
      description:
        "A program of the server's system, by name or path, or an npm package (`npm:name` when both).",
    }),
    name: z
      .string()
      .regex(/^[a-z0-9][a-z0-9-]{0,49}$/, "must be 1 to 50 characters of a-z, 0-9 and '-'")
      .optional()
      .meta({ description: "The capability's id; the program's name without it." }),
    command: z
      .string()
      .max(200)
      .optional()
      .meta({ description: "Which command of a package that brings several." }),
  })
  .meta({ id: "PackageWrap" });
export type PackageWrap = z.input<typeof PackageWrap>;

/** A package that runs someone else's program, to read, edit and install. */
export const WrapProposal = z
  .object({
    name: z.string(),
    package: z.string(),
    version: z.string(),
    origin: z.string(),
    manifest: JsonObject,
    files: z.array(z.object({ path: z.string(), text: z.string() })),
    notes: z.array(z.string()).meta({ description: "What the proposal could not say." }),
    help: z.string().meta({ description: "The text it was made from." }),
  })
  .meta({ id: "WrapProposal" });
export type WrapProposal = z.infer<typeof WrapProposal>;

export const InstalledPackage = z
  .object({
    name: z.string(),
    kind: PackageKind,
    version: z.string(),
    sha256: z.string(),
    size_bytes: z.int(),
    origin: z.string(),
    service_folder: z.string().optional(),
    description: PackageDescription.extend({ manifest: JsonObject.optional() }),
    allow_scripts: z.boolean(),
    linked: z.boolean().optional().meta({ description: "Its folder is watched for changes." }),
    dependency_lock: z.string().optional(),
    installed_by: z.string(),
    installed_at: z.string(),
    review: PackageReview.optional().meta({ description: "Only in the response to an installation." }),
    broken: BrokenAgents.optional().meta({
      description: "Agents that it breaks, by force; only in the response to an installation.",
    }),
    problem: z
      .object({ message: z.string(), nextStep: z.string() })
      .optional()
      .meta({ description: "Why it does not work here, if so." }),
  })
  .meta({ id: "InstalledPackage" });
export type InstalledPackage = z.infer<typeof InstalledPackage>;

/** An archive in the drop folder that has not been reviewed. */
export const WaitingPackage = z
  .object({ path: z.string(), review: PackageReview.optional(), failure: WireFailure.optional() })
  .meta({ id: "WaitingPackage" });
export type WaitingPackage = z.infer<typeof WaitingPackage>;

export const PackageList = countedPageOf(InstalledPackage).extend({ waiting: z.array(WaitingPackage) });
export const PackageQuery = PageQuery.extend({
  kind: PackageKind.optional(),
  q: queryText("the name or the summary"),
});
export type PackageQuery = z.input<typeof PackageQuery>;

export const UninstalledPackage = z
  .object({
    name: z.string(),
    kept: z.array(z.string()).meta({ description: "User data that was kept." }),
    used_by: z.array(NamedAgent),
    broken: BrokenAgents.meta({ description: "Agents that break without it; only by force." }),
  })
  .meta({ id: "UninstalledPackage" });
export type UninstalledPackage = z.infer<typeof UninstalledPackage>;

/** Everything that a failed command printed. */
export const CommandOutput = z
  .object({
    id: z.uuid(),
    command: z.string(),
    exit_code: z.int(),
    stdout: z.string(),
    stderr: z.string(),
    cut: z.boolean().meta({ description: "It printed more than is kept: 1 MB of each." }),
    created_at: z.string(),
  })
  .meta({ id: "CommandOutput" });
export type CommandOutput = z.infer<typeof CommandOutput>;

export const ServiceInfo = z
  .object({
    name: z.string(),
    folder: z.string(),
    url: z.string(),
    user: z.string().optional(),
    state: z.enum(["starting", "running", "unhealthy", "waiting", "stopped"]),
    pid: z.int().optional(),
    restarts: z.int(),
    since: z.string(),
    last_exit: z.string().optional(),
  })
  .meta({ id: "Service" });
export type ServiceInfo = z.infer<typeof ServiceInfo>;
export const ServiceList = listOf(ServiceInfo);
export const ServiceChange = z.strictObject({
  folder: z.string().max(4000).optional().meta({ description: "A folder whose compose file names it." }),
});
