/** How to start a command, and which files it needs besides the system's own. */
export interface CommandLine {
  readonly argv: readonly string[];
  readonly readable: readonly string[];
}
