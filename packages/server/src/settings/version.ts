/** The version of this build; one number for all packages. */
export const VERSION = "0.1.0";
