/** Failures of the area "install": packages, their manifests and commands, services and triggers. */
import { type Fault, faultsText } from "../faults.ts";
import { row } from "./failure.ts";

export const installFailures = {
  manifest_invalid: row<{ faults: readonly Fault[] }>({
    status: 422,
    message: ({ faults }) => `The manifest is not valid: ${faultsText(faults)}.`,
    nextStep: () => "Correct the named fields; docs/packages.md lists them all.",
    details: ({ faults }) => faults,
  }),
  trigger_invalid: row<{ faults: readonly Fault[] }>({
    status: 422,
    message: ({ faults }) => `The trigger is not valid: ${faultsText(faults)}.`,
    nextStep: () => "Correct the service that writes it; docs/real-time.md shows the format.",
    details: ({ faults }) => faults,
  }),
  project_invalid: row<{ file: string; faults: readonly Fault[] }>({
    status: 422,
    message: ({ file, faults }) => `${file} is not valid: ${faultsText(faults)}.`,
    nextStep: () => "Correct the named fields and pack the project again.",
    details: ({ faults }) => faults,
  }),
  archive_refused: row<{ why: string }>({
    status: 422,
    message: ({ why }) => `The archive was rejected: ${why}.`,
    nextStep: () => "Nothing was installed. Rebuild the package from its source, or do not trust it.",
  }),
  dependency_refused: row<{ dependency: string; why: string }>({
    status: 422,
    message: ({ dependency, why }) => `The dependency ${dependency} was rejected: ${why}.`,
    nextStep: ({ dependency }) =>
      `Nothing was installed. Use a version of the package that does not need ${dependency}, or ask its author to publish one without.`,
  }),
  package_source_unknown: row<{ source: string }>({
    status: 422,
    message: ({ source }) => `Nothing installable found at "${source}".`,
    nextStep: () =>
      "Name a wheel, an npm tarball or package, a folder, an MCP server, a skill folder or an OpenAPI file.",
  }),
  package_source_several: row<{ source: string; inside: readonly string[] }>({
    status: 422,
    message: ({ source, inside }) =>
      `"${source}" contains ${inside.length} installable items: ${inside.join(", ")}.`,
    nextStep: ({ inside }) => `Name one of them: capstan install ${inside[0] ?? ""}.`,
    details: ({ inside }) => ({ inside: [...inside] }),
  }),
  package_name_invalid: row<{ name: string }>({
    status: 422,
    message: ({ name }) => `"${name}" is not the name of a capability package.`,
    nextStep: ({ name }) =>
      `Wrap its command line: capstan wrap ${name}. If it is your own, name it aech-cli-*, aech-rt-*, capstan-cli-* or capstan-rt-*, in lower case.`,
  }),
  wrap_source_unknown: row<{ source: string }>({
    status: 422,
    message: ({ source }) => `There is no program "${source}" on the server's machine.`,
    nextStep: () => "Use a program in /usr/bin or /usr/local/bin, or an npm package (npm:name).",
  }),
  wrap_program_outside: row<{ path: string }>({
    status: 422,
    message: ({ path }) => `"${path}" is in a folder that packages cannot read.`,
    nextStep: () => "Install the program under /usr, such as in /usr/local/bin, and wrap it there.",
  }),
  wrap_no_help: row<{ program: string; tried: readonly string[]; why: string }>({
    status: 422,
    message: ({ program, tried, why }) =>
      `${program} printed no help text for ${tried.join(", ")}${why ? `: ${why}` : ""}.`,
    nextStep: () => "Write its manifest by hand: `capstan new cli <name>` creates a project to start from.",
  }),
  package_command_missing: row<{ command: string; has: readonly string[] }>({
    status: 422,
    message: ({ command, has }) =>
      `The package has no command "${command}"${has.length > 0 ? `, only ${has.join(", ")}` : ""}.`,
    nextStep: () => "List it under [project.scripts] or under bin, and name it as `command` in the manifest.",
  }),
  package_must_run_code: row<{ name: string }>({
    status: 409,
    message: ({ name }) => `"${name}" has no manifest.json: it must run code to describe itself.`,
    nextStep: () =>
      "Allow running it once, isolated (--run-to-describe; run_to_describe in the API), or ask its author for a manifest.json.",
  }),
  package_link_folder: row<{ source: string }>({
    status: 422,
    message: ({ source }) => `Only a folder on the server's machine can be linked; "${source}" is not one.`,
    nextStep: () => "Install it without --link, or give its folder.",
  }),
  package_link_waits: row<{ name: string; folder: string; why: string }>({
    status: 409,
    message: ({ name, why }) => `The linked folder of "${name}" changed and needs a review: ${why}.`,
    nextStep: ({ folder }) =>
      `Review it with \`capstan install ${folder} --link\`; until then the previous version is used.`,
  }),
  package_not_described: row<{ why: string }>({
    status: 422,
    message: ({ why }) => `The package did not describe itself: ${why}.`,
    nextStep: () => "Nothing was installed. Ask its author for a manifest.json.",
  }),
  package_review_needed: row<{ review: { readonly name: string; readonly sha256: string } }>({
    status: 409,
    message: ({ review }) => `"${review.name}" has not been reviewed.`,
    nextStep: ({ review }) => `Read the review in details, then install with accept: "${review.sha256}".`,
    details: ({ review }) => review,
  }),
  package_hash_changed: row<{ name: string; version: string; expected: string; actual: string }>({
    status: 409,
    message: ({ name, version, expected, actual }) =>
      `${name} ${version} should have the hash ${expected.slice(0, 12)} but has ${actual.slice(0, 12)}.`,
    nextStep: () =>
      "A version must never change. Find out who changed it; only then remove its line from capstan.lock.",
    details: ({ expected, actual }) => ({ expected, actual }),
  }),
  package_conflict: row<{ capability: string; owner: string }>({
    status: 409,
    message: ({ capability, owner }) => `The capability "${capability}" already belongs to ${owner}.`,
    nextStep: () => "Uninstall the other one first, or change the name in the package's manifest.",
  }),
  package_dependencies_missing: row<{ manager: string; why: string }>({
    status: 502,
    message: ({ manager, why }) => `${manager} could not install the package's dependencies: ${why}`,
    nextStep: () =>
      "Check the network or the registry; offline, put the required wheels into the folder capabilities/clis.",
  }),
  package_download_failed: row<{ source: string; why: string }>({
    status: 502,
    message: ({ source, why }) => `"${source}" could not be downloaded: ${why}`,
    nextStep: () => "Check the name and the registry, or download it yourself and install the file.",
  }),
  package_broken: row<{ name: string; why: string }>({
    status: 503,
    message: ({ name, why }) => `The package "${name}" cannot be used here: ${why}`,
    nextStep: ({ name }) => `Install it again: capstan install ${name}.`,
  }),
  package_not_separated: row<Record<string, never>>({
    status: 503,
    message: () =>
      "This system cannot isolate a package's code from the server: it is not root, and user namespaces are off.",
    nextStep: () =>
      "Run the server in its own container or as root, allow user namespaces (sysctl user.max_user_namespaces, " +
      "kernel.unprivileged_userns_clone=1), or accept that packages can read everything the server can: " +
      "CAPSTAN_ALLOW_UNSEPARATED_PACKAGES=true.",
  }),
  package_network_unavailable: row<{ why: string }>({
    status: 503,
    message: ({ why }) => `The package's network could not be created: ${why}.`,
    nextStep: () =>
      "Try again; if it keeps failing, check the limit on namespaces (sysctl user.max_net_namespaces).",
  }),
  package_unreachable: row<{ path: string }>({
    status: 503,
    message: ({ path }) => `Packages run as a separate user here, and that user cannot access ${path}.`,
    nextStep: () =>
      "Use a program that every user can read and run, such as the system's python3, or make this one readable for others (chmod -R o+rX).",
  }),
  python_missing: row<Record<string, never>>({
    status: 503,
    message: () => "Wheels require Python 3.9 or later with venv, which is not installed on this machine.",
    nextStep: () => "Install python3 and python3-venv, or use a package that is published for npm.",
  }),
  python_venv_failed: row<{ why: string }>({
    status: 503,
    message: ({ why }) => `Python could not create a virtual environment: ${why}`,
    nextStep: () => "On Debian and Ubuntu install python3-venv, then try again.",
  }),
  lock_unreadable: row<{ path: string }>({
    status: 409,
    message: ({ path }) => `${path} is not a Capstan lock file.`,
    nextStep: () => "Restore it from version control, or delete it to pin the installed versions again.",
  }),
  path_outside_session: row<{ path: string }>({
    status: 422,
    message: ({ path }) =>
      `${path} is a path on the server's machine; commands only see the session's files.`,
    nextStep: () => "Put the file into the session and use its path there, such as /report.pdf.",
  }),
  command_failed: row<{
    command: string;
    action: string;
    code: number;
    said: string;
    line: string;
    /** Everything it printed can be read by this id. */
    outputId?: string | undefined;
  }>({
    status: 502,
    message: ({ command, action, code, line }) =>
      `${[command, action].filter(Boolean).join(" ")} ended with code ${code}: ${line}`,
    nextStep: ({ outputId }) =>
      outputId === undefined
        ? "Read its output, change the arguments, and call it again."
        : `Read its output (\`capstan output ${outputId}\`), change the arguments, and call it again.`,
    details: ({ code, said, outputId }) => ({
      exit_code: code,
      stderr: said,
      ...(outputId !== undefined && { output_id: outputId }),
    }),
  }),
  command_out_of_memory: row<{ command: string }>({
    status: 502,
    message: ({ command }) => `${command} exceeded its memory limit and was stopped.`,
    nextStep: () => "Give it less input at once.",
  }),
  service_down: row<{ service: string; url: string; why: string }>({
    status: 503,
    message: ({ service, url, why }) => `The service ${service} is down: ${url} says ${why}.`,
    nextStep: () => "Start it with `capstan services start`, check `capstan services logs`, then try again.",
  }),
  folder_exists: row<{ folder: string }>({
    status: 409,
    message: ({ folder }) => `${folder} already exists.`,
    nextStep: () => "Choose another name, or remove the folder first.",
  }),
  service_invalid: row<{ folder: string; why: string }>({
    status: 422,
    message: ({ folder, why }) => `The service in ${folder} cannot run: ${why}.`,
    nextStep: () => "Compare it with a new one: capstan new rt example --pattern api.",
  }),
  service_not_configured: row<{ folder: string; file: string }>({
    status: 422,
    message: ({ folder, file }) => `The service in ${folder} has no ${file}.`,
    nextStep: ({ file }) => `Copy ${file}.example to ${file} and fill in the values.`,
  }),
  schedule_invalid: row<{ cron: string; why: string }>({
    status: 422,
    message: ({ cron, why }) => `"${cron}" is not a valid schedule: ${why}`,
    nextStep: () => 'Write five fields, such as "0 9 * * 1-5" for 9:00 on weekdays.',
  }),
};
