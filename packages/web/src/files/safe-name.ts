/** A name that is one step of a path, as the file system wants it. */
export const safeName = (name: string): string =>
  name.replaceAll(/[\\/:*?"<>|]/g, "_").replace(/^\.+/, "_") || "file";
