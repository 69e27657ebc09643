/**
 * The environment of an agent: what every process needs, what this CLI may see of the caller's, and the run's own values.
 *
 * Nothing else is passed on: an agent must not see the host's database password.
 */
const EVERY_PROCESS =
  /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LC_[A-Z]+|TZ|TMPDIR|TEMP|TMP|TERM|https?_proxy|no_proxy|HTTPS?_PROXY|NO_PROXY|SSL_CERT_(FILE|DIR)|NODE_EXTRA_CA_CERTS|SYSTEMROOT|APPDATA|LOCALAPPDATA|USERPROFILE|PATHEXT|COMSPEC)$/;

/** Marks every process of a run, so that strays are found in any group. */
export const RUN_VARIABLE = "CAPSTAN_RUN";

export interface EnvironmentParts {
  readonly ambient: Readonly<Record<string, string | undefined>>;
  readonly allowed: RegExp;
  readonly adapter: Readonly<Record<string, string>>;
  readonly asked: Readonly<Record<string, string>> | undefined;
  readonly runId: string;
}

export function cleanEnvironment({
  ambient,
  allowed,
  adapter,
  asked,
  runId,
}: EnvironmentParts): Record<string, string> {
  const passed = Object.entries(ambient).flatMap(([name, value]) =>
    value !== undefined && (EVERY_PROCESS.test(name) || allowed.test(name)) ? [[name, value] as const] : [],
  );
  return { ...Object.fromEntries(passed), NO_COLOR: "1", ...adapter, ...asked, [RUN_VARIABLE]: runId };
}

const SECRET_NAME = /(KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS?)$/i;
const MIN_SECRET_CHARS = 8; // shorter ones occur in ordinary text

/** Text without the secrets that were in the environment; for messages that quote an agent's output. */
export function redact(text: string, environment: Readonly<Record<string, string>>): string {
  const secrets = Object.entries(environment)
    .filter(([name, value]) => SECRET_NAME.test(name) && value.length >= MIN_SECRET_CHARS)
    .map(([, value]) => value);
  return secrets.reduce((clean, secret) => clean.replaceAll(secret, "***"), text);
}
