/** Why zod refused a value, on one line for people and models alike: "b: missing, expected number; rights[0]: ...". */
import { z } from "zod";

export const whatIsWrong = ({ issues }: Pick<z.ZodError, "issues">): string =>
  issues
    .map(({ path, message }) =>
      path.length > 0 ? `${z.core.toDotPath(path)}: ${plain(message)}` : plain(message),
    )
    .join("; ");

const plain = (message: string): string =>
  message
    .replace(/^Invalid input: (expected .+), received undefined$/, "missing, $1")
    .replace(/^Invalid (?:input|option): /, "");
