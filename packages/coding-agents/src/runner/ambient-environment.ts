/** The environment of this process, as a library's default. Programs pass their own. */
export const ambientEnvironment = (): Readonly<Record<string, string | undefined>> =>
  // biome-ignore lint/style/noProcessEnv: the one default of a library that has no main; everything else is passed in
  process.env;
