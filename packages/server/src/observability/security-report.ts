/** The security guarantees of this installation: each line says whether it holds, and what to do if not. */
import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { SecurityLine } from "@capstan/client/wire";
import type { CommandIsolation, KeyStore, ManagedSandbox } from "@capstan/runtime";
import { isLoopback } from "../auth/guard-origin.ts";
import type { Settings } from "../settings/settings.ts";

export interface SecurityParts {
  readonly settings: Settings;
  readonly keys: Pick<KeyStore, "list">;
  readonly sandbox: Pick<ManagedSandbox, "isolation">;
  readonly commandIsolation: () => Promise<
    Pick<CommandIsolation, "changesUser" | "privateRoot" | "allowsUnseparated" | "networks">
  >;
}

export async function securityReport(parts: SecurityParts): Promise<SecurityLine[]> {
  const isolation = await parts.commandIsolation();
  return [
    separation(isolation),
    packageNetwork(isolation),
    programs(isolation, parts.settings),
    sandboxLine(parts.sandbox.isolation.notes),
    ...(await listening(parts)),
    await dataFolderLine(parts.settings),
    await secretLine(parts.settings),
  ];
}

type Isolation = Awaited<ReturnType<SecurityParts["commandIsolation"]>>;

function separation({ changesUser, privateRoot, allowsUnseparated }: Isolation): SecurityLine {
  const what = "packages are isolated from the server";
  const by = [...(changesUser ? ["another user id"] : []), ...(privateRoot ? ["a private file system"] : [])];
  if (by.length > 0) return { what, holds: true, detail: `by ${by.join(" and ")}` };
  return {
    what,
    holds: false,
    detail: allowsUnseparated
      ? "packages run as the server's user, because CAPSTAN_ALLOW_UNSEPARATED_PACKAGES is set"
      : "this system has neither root nor user namespaces, so third-party packages are refused",
    next_step: "Run the server as root in a container, or allow user namespaces.",
  };
}

function packageNetwork({ networks }: Isolation): SecurityLine {
  const what = "packages reach public addresses and what was declared, and no other port of this machine";
  return networks
    ? { what, holds: true, detail: "by a network namespace and a proxy" }
    : {
        what,
        holds: false,
        detail: "this system gives packages no network of their own, so they reach what the server reaches",
        next_step:
          "Allow network and mount namespaces (and install iproute2), or block connections with a firewall.",
      };
}

/** Coding agents' programs, which agents name as their harness. */
function programs(
  { changesUser, allowsUnseparated }: Isolation,
  { CAPSTAN_HARNESS_AS_SERVER: asServer }: Settings,
): SecurityLine {
  const what = "coding agents' programs run as the user whose session it is";
  if (changesUser && asServer.length === 0)
    return { what, holds: true, detail: "by a user id and a home for each user" };
  if (changesUser)
    return {
      what,
      holds: false,
      detail: `${asServer.join(", ")} without own tools: as the server, with its login (CAPSTAN_HARNESS_AS_SERVER)`,
      next_step: "Give these programs a key in the server's environment, and remove the setting.",
    };
  const whom = allowsUnseparated
    ? "everybody, because CAPSTAN_ALLOW_UNSEPARATED_PACKAGES is set"
    : "admins only";
  return {
    what,
    holds: false,
    detail: `the server cannot change users, so they run as the server does; those with own tools for ${whom}`,
    next_step: "Run the server as root in a container.",
  };
}

const sandboxLine = (notes: readonly string[]): SecurityLine => ({
  what: "the sandbox has no network, files or environment",
  holds: notes.length === 0,
  detail: notes.length === 0 ? "every limit is enforced" : notes.join(" "),
  ...(notes.length > 0 && { next_step: "docs/sandbox.md says what each limit needs." }),
});

async function listening({ settings, keys }: SecurityParts): Promise<SecurityLine[]> {
  const { HOST } = settings;
  if (isLoopback(HOST))
    return [{ what: "only this machine can connect", holds: true, detail: `the server listens on ${HOST}` }];
  const active = (await keys.list()).filter(({ revoked }) => !revoked);
  const admins = active.filter(({ rights }) => rights.includes("admin"));
  return [
    {
      what: "every client needs a key",
      holds: true,
      detail: `the server listens on ${HOST}; ${active.length} keys are active, ${admins.length} of them admins`,
    },
    {
      what: "the server's host names are known",
      holds: settings.CAPSTAN_PUBLIC_HOSTS.length > 0,
      detail:
        settings.CAPSTAN_PUBLIC_HOSTS.length > 0
          ? settings.CAPSTAN_PUBLIC_HOSTS.join(", ")
          : "any Host header is accepted",
      ...(settings.CAPSTAN_PUBLIC_HOSTS.length === 0 && {
        next_step: "Name them in CAPSTAN_PUBLIC_HOSTS, and put a proxy with TLS in front.",
      }),
    },
  ];
}

async function dataFolderLine({ CAPSTAN_DATA_DIR }: Settings): Promise<SecurityLine> {
  const what = "the data folder is writable only by its owner";
  const { holds, detail } = await checkMode(CAPSTAN_DATA_DIR, 0o022);
  return { what, holds, detail, ...(!holds && { next_step: `chmod go-w ${CAPSTAN_DATA_DIR}` }) };
}

/** `forbidden`: the mode bits that others must not have. */
async function checkMode(path: string, forbidden: number): Promise<{ holds: boolean; detail: string }> {
  const mode = (await stat(path).catch(() => undefined))?.mode;
  if (mode === undefined) return { holds: true, detail: "it does not exist yet" };
  const detail = `mode ${(mode & 0o777).toString(8).padStart(4, "0")}`;
  return { holds: (mode & forbidden) === 0, detail };
}

async function secretLine({ CAPSTAN_SECRET, CAPSTAN_DATA_DIR }: Settings): Promise<SecurityLine> {
  if (CAPSTAN_SECRET !== undefined)
    return {
      what: "the secret is not stored with the data it encrypts",
      holds: true,
      detail: "CAPSTAN_SECRET comes from the environment",
    };
  const file = await checkMode(join(CAPSTAN_DATA_DIR, "secret.key"), 0o077);
  return {
    what: "the secret is not stored with the data it encrypts",
    holds: false,
    detail: `it is in the data folder, ${file.detail}${file.holds ? "" : ", readable by others"}`,
    next_step:
      "Set CAPSTAN_SECRET from a secret store, so that a copy of the data folder cannot be decrypted.",
  };
}
