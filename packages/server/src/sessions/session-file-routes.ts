/**
 * /v1/sessions/{id}/files: the session's files, binary safe. A GET of a directory lists it.
 * The path is everything after `/files/`, so these routes are described by hand.
 */
import {
  FileDeleteQuery,
  FilesDeleted,
  FileWriteQuery,
  SessionFile,
  SessionListing,
} from "@capstan/client/wire";
import type { FileStat, SessionFileStore } from "@capstan/core";
import { fail, ok, type Result } from "@capstan/core";
import type { SessionStore } from "@capstan/runtime";
import { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { type AppEnv, authority, checkQuery, newRoutes, requireRight } from "../http/define-route.ts";
import { problem } from "../http/problem.ts";
import { readBody } from "../http/read-body.ts";
import type { Settings } from "../settings/settings.ts";
import type { SessionFiles } from "./session-files.ts";

const BASE = "/v1/sessions/:id/files";

export interface SessionFileRouteParts {
  readonly settings: Settings;
  readonly sessions: SessionStore;
  readonly files: SessionFiles;
}

export function sessionFileRoutes(services: SessionFileRouteParts) {
  const routes = newRoutes();
  describeFileRoutes(routes.openAPIRegistry);
  const see = requireRight("file", "see");
  const change = requireRight("file", "change");
  routes.get(BASE, see, checkQuery(), (c) => getFile(c, services));
  routes.get(`${BASE}/*`, see, checkQuery(), (c) => getFile(c, services));
  routes.put(`${BASE}/*`, change, checkQuery(FileWriteQuery), (c) => putFile(c, services));
  routes.delete(`${BASE}/*`, change, checkQuery(FileDeleteQuery), (c) => deleteFile(c, services));
  return routes;
}

async function getFile(c: Context<AppEnv>, services: SessionFileRouteParts): Promise<Response> {
  const at = await place(c, services);
  if (!at.ok) return problem(c, at.failure);
  const { files, path } = at.value;
  const found = await files.stat(path);
  if (!found.ok) return problem(c, found.failure);
  if (!found.value) return problem(c, fail("file_not_found", { path }).failure);
  if (!found.value.isDirectory) return download(c, files, found.value);
  const listed = await files.list(path);
  if (!listed.ok) return problem(c, listed.failure);
  return c.json({ path: found.value.path, entries: listed.value.map(fileDto), count: listed.value.length });
}

async function download(c: Context<AppEnv>, files: SessionFileStore, stat: FileStat): Promise<Response> {
  const content = await files.read(stat.path);
  if (!content.ok) return problem(c, content.failure);
  // Never rendered by a browser: a session's files may contain anyone's HTML.
  return c.body(content.value as Uint8Array<ArrayBuffer>, 200, {
    "content-type": "application/octet-stream",
    "content-disposition": `attachment; filename*=UTF-8''${encodeURIComponent(stat.name)}`,
    "x-content-type-options": "nosniff",
    "last-modified": stat.updatedAt.toUTCString(),
  });
}

async function putFile(c: Context<AppEnv>, services: SessionFileRouteParts): Promise<Response> {
  const at = await place(c, services);
  if (!at.ok) return problem(c, at.failure);
  const body = await readBody(c.req.raw, services.settings.CAPSTAN_FILE_LIMIT_BYTES);
  if (!body.ok) return problem(c, body.failure);
  const written = await at.value.files.write(at.value.path, body.value, {
    readonly: c.req.query("readonly") === "true",
  });
  if (!written.ok) return problem(c, written.failure);
  return c.json(fileDto(written.value.stat), written.value.created ? 201 : 200);
}

async function deleteFile(c: Context<AppEnv>, services: SessionFileRouteParts): Promise<Response> {
  const at = await place(c, services);
  if (!at.ok) return problem(c, at.failure);
  const gone = await at.value.files.delete(at.value.path, { recursive: c.req.query("recursive") === "true" });
  return gone.ok ? c.json({ path: at.value.path, deleted: gone.value.deleted }) : problem(c, gone.failure);
}

/** The session's store and the decoded path behind `/files`. */
async function place(
  c: Context<AppEnv>,
  services: SessionFileRouteParts,
): Promise<Result<{ files: SessionFileStore; path: string }>> {
  const id = c.req.param("id") ?? "";
  const session = await services.sessions.get(id);
  if (!session.ok) return session;
  const raw = c.req.path.slice(c.req.path.indexOf("/files") + "/files".length);
  const path = decodePath(raw);
  if (path === undefined) return fail("path_invalid", { path: raw, why: "it is not valid percent-encoding" });
  return ok({ files: services.files(session.value.id), path: path || "/" });
}

function decodePath(raw: string): string | undefined {
  try {
    return decodeURIComponent(raw);
  } catch {
    return undefined;
  }
}

const fileDto = (stat: FileStat): SessionFile => ({
  path: stat.path,
  name: stat.name,
  is_directory: stat.isDirectory,
  is_readonly: stat.isReadonly,
  size_bytes: stat.sizeBytes,
  created_at: stat.createdAt.toISOString(),
  updated_at: stat.updatedAt.toISOString(),
});

function describeFileRoutes(registry: ReturnType<typeof newRoutes>["openAPIRegistry"]): void {
  const params = z.object({
    id: z.string(),
    path: z.string().openapi({ description: "May contain slashes." }),
  });
  const bytes = { "application/octet-stream": { schema: { type: "string", format: "binary" } as const } };
  const base = { tags: ["sessions"], request: { params } };
  const path = "/v1/sessions/{id}/files/{path}";
  registry.registerPath({
    operationId: "listSessionFiles",
    ...base,
    method: "get",
    path: "/v1/sessions/{id}/files",
    summary: "List the session's root",
    ...authority("file", "see"),
    request: { params: params.pick({ id: true }) },
    responses: {
      200: {
        description: "The root directory.",
        content: { "application/json": { schema: SessionListing } },
      },
    },
  });
  registry.registerPath({
    operationId: "readSessionFile",
    ...base,
    method: "get",
    path,
    summary: "Download a file, or list a directory",
    ...authority("file", "see"),
    responses: {
      200: {
        description: "The bytes, or the listing.",
        content: { ...bytes, "application/json": { schema: SessionListing } },
      },
    },
  });
  registry.registerPath({
    operationId: "writeSessionFile",
    ...base,
    method: "put",
    path,
    summary: "Upload a file; parent directories are created",
    ...authority("file", "change"),
    request: {
      params,
      query: FileWriteQuery,
      body: { required: true, content: bytes },
    },
    responses: {
      200: { description: "Replaced.", content: { "application/json": { schema: SessionFile } } },
      201: { description: "Created.", content: { "application/json": { schema: SessionFile } } },
    },
  });
  registry.registerPath({
    operationId: "deleteSessionFile",
    ...base,
    method: "delete",
    path,
    summary: "Delete a file or directory",
    ...authority("file", "change"),
    request: { params, query: FileDeleteQuery },
    responses: {
      200: {
        description: "How many were deleted.",
        content: { "application/json": { schema: FilesDeleted } },
      },
    },
  });
}
