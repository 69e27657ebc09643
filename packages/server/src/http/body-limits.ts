/**
 * Size limits of request bodies: by route and by the caller's rights, before anything is read.
 * Uploads into a session's files are limited where they are read.
 */
import { fail } from "@capstan/core";
import { type Action, includesRight, rightFor, type Thing } from "@capstan/core/internal";
import type { MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import type { Caller } from "./caller.ts";
import type { AppEnv } from "./define-route.ts";
import { problem } from "./problem.ts";
import { drainBody } from "./read-body.ts";

const MEGABYTE = 1024 * 1024;
const JSON_BYTES = 4 * MEGABYTE;
const STRANGER_BYTES = MEGABYTE; // no key: anonymous, or a token that its route still has to check

interface LargerBody {
  readonly path: RegExp;
  readonly method: string;
  /** Undefined: the route counts while reading. */
  readonly bytes: number | undefined;
  readonly needs: readonly [Thing, Action];
}

/** Routes whose bodies contain a file, a dataset, a whole catalog or a package's archive. */
const LARGER: readonly LargerBody[] = [
  { method: "PUT", path: /^\/v1\/sessions\/[^/]+\/files\/./, bytes: undefined, needs: ["file", "change"] },
  {
    method: "POST",
    path: /^\/v1\/datasets\/[^/]+\/import$/,
    bytes: 64 * MEGABYTE,
    needs: ["dataset", "change"],
  },
  { method: "POST", path: /^\/v1\/route\/rank$/, bytes: 64 * MEGABYTE, needs: ["capability", "see"] },
  { method: "POST", path: /^\/v1\/packages(\/review)?$/, bytes: 96 * MEGABYTE, needs: ["package", "change"] },
];

const limits = new Map<number, MiddlewareHandler<AppEnv>>();

export const limitBody: MiddlewareHandler<AppEnv> = (c, next) => {
  const bytes = allowedBytes(c.req, c.get("caller"));
  return bytes === undefined ? next() : limitOf(bytes)(c, next);
};

export function allowedBytes(
  { method, path }: { readonly method: string; readonly path: string },
  { rights }: Pick<Caller, "rights">,
): number | undefined {
  if (rights.length === 0) return STRANGER_BYTES;
  const larger = LARGER.find((each) => each.method === method && each.path.test(path));
  const needed = larger && rightFor(...larger.needs);
  return larger && needed && includesRight(rights, needed) ? larger.bytes : JSON_BYTES;
}

/** Whether the body is a file, and not JSON. */
export const isFileUpload = ({ method, path }: { readonly method: string; readonly path: string }): boolean =>
  LARGER.some((each) => each.bytes === undefined && each.method === method && each.path.test(path));

function limitOf(maxSize: number): MiddlewareHandler<AppEnv> {
  const known = limits.get(maxSize);
  if (known) return known;
  const limit: MiddlewareHandler<AppEnv> = bodyLimit({
    maxSize,
    async onError(c) {
      await drainBody(c.req.raw);
      return problem(c, fail("body_too_large", { limitBytes: maxSize }).failure);
    },
  });
  limits.set(maxSize, limit);
  return limit;
}
