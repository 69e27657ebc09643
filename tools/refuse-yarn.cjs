/* What `.yarnrc.yml` has Yarn run instead of itself: the workspace is linked and locked by npm alone. */
process.stderr.write(
  "Capstan's repository is installed with npm: its lock file says what is installed.\n  Run `npm install`.\n",
);
process.exit(1);
