/** How a command is started, and which files it needs besides the system's own. */
export interface CommandLine {
  readonly argv: readonly string[];
  readonly readable: readonly string[];
}
