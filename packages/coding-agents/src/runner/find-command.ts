/** Finds a command in a PATH, as a shell would, without one. */
import { constants } from "node:fs";
import { access } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";

/** The path of the first of these names that can be run. */
export async function findCommand(names: readonly string[], path = ""): Promise<string | undefined> {
  for (const name of names) {
    const places = isAbsolute(name)
      ? [name]
      : path.split(delimiter).map((folder) => join(folder || ".", name));
    for (const place of places) if (await canRun(place)) return place;
  }
  return undefined;
}

const canRun = (path: string): Promise<boolean> =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
