/** Failures of the session file system. */
import { row } from "./failure.ts";

export const filesFailures = {
  path_invalid: row<{ path: string; why: string }>({
    status: 422,
    message: ({ path, why }) => `"${path}" is not a path in the session: ${why}`,
    nextStep: () => "Give an absolute path such as /docs/readme.txt, without '..'.",
  }),
  file_not_found: row<{ path: string }>({
    status: 404,
    message: ({ path }) => `There is no file or directory at ${path}.`,
    nextStep: () => "Use list_directory to see what exists.",
  }),
  file_is_directory: row<{ path: string }>({
    status: 409,
    message: ({ path }) => `${path} is a directory.`,
    nextStep: () => "Name a file; list_directory shows what is inside.",
  }),
  file_not_directory: row<{ path: string }>({
    status: 409,
    message: ({ path }) => `${path} is a file, not a directory.`,
    nextStep: () => "Name a directory, or read the file with read_file.",
  }),
  file_readonly: row<{ path: string }>({
    status: 403,
    message: ({ path }) => `${path} is read-only.`,
    nextStep: () => "Write to another path.",
  }),
  directory_not_empty: row<{ path: string }>({
    status: 409,
    message: ({ path }) => `${path} is not empty.`,
    nextStep: () => "Pass recursive: true to delete what is inside as well.",
  }),
  file_too_large: row<{ path: string; sizeBytes: number; limitBytes: number }>({
    status: 413,
    message: ({ path, sizeBytes, limitBytes }) =>
      `${path} would be ${sizeBytes} bytes; the limit for a file is ${limitBytes}.`,
    nextStep: () => "Write less, or split it into several files.",
  }),
  session_full: row<{ sizeBytes: number; limitBytes: number }>({
    status: 413,
    message: ({ sizeBytes, limitBytes }) =>
      `The session's files would have ${sizeBytes} bytes; the limit is ${limitBytes}.`,
    nextStep: () => "Delete files that are no longer needed.",
  }),
  pattern_invalid: row<{ pattern: string; why: string }>({
    status: 422,
    message: ({ pattern, why }) => `"${pattern}" is not a valid pattern: ${why}`,
    nextStep: () => "Use RE2 syntax: no look-around and no back-references.",
  }),
};
