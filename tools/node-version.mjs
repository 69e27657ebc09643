/** The required Node version. A separate JavaScript module: it must run on versions that are too old. */

/** TypeScript is run as it is since 22.18; undici, which makes our requests, needs 22.19. */
const NEEDED = [22, 19];
/** npm leaves out the programs that build the studio on an older one, even where it brings Node 24 itself. */
const NEEDED_TO_INSTALL = [20, 19];

const HOW = "Get Node 24 from https://nodejs.org (or `nvm install 24`), then run `npm install` again.";

/** Ends the process with a sentence when the Node it runs on is too old. */
export function refuseOldNode() {
  if (isOlder(process.versions.node, NEEDED))
    refuse(`Node ${NEEDED.join(".")} or newer`, process.versions.node);
}

/** The same for the Node that runs npm: it decides which packages are installed. */
export function refuseOldInstaller(userAgent = "") {
  const [, version] = /\bnode\/v?(\d+\.\d+\.\d+)/.exec(userAgent) ?? [];
  if (version !== undefined && isOlder(version, NEEDED_TO_INSTALL))
    refuse(`Node ${NEEDED_TO_INSTALL.join(".")} or newer to install`, version);
}

/** @param {string} version @param {number[]} needed */
export function isOlder(version, [neededMajor = 0, neededMinor = 0]) {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major < neededMajor || (major === neededMajor && minor < neededMinor);
}

/** @param {string} needed @param {string} version */
function refuse(needed, version) {
  process.stderr.write(`Capstan needs ${needed}, and this is ${version}.\n  ${HOW}\n`);
  process.exit(1);
}
