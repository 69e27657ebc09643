/** The body of a request: JSON, a form, a form with files, or text. Files are session files, named by their path. */
import { randomUUID } from "node:crypto";
import { fail, ok, type Result } from "@capstan/core";
import { type ParameterStyle, queryPairs } from "./http-parameters.ts";

export interface BodyField {
  readonly argument: string;
  readonly name: string;
  /** Its value is the path of a session file to send. */
  readonly isFile?: boolean;
  readonly style?: ParameterStyle;
  readonly explode?: boolean;
}

export interface HttpBody {
  readonly contentType: string;
  /** Either the whole body is one argument, or each field is its own. */
  readonly content: { readonly argument: string; readonly isFile?: boolean } | readonly BodyField[];
}

export interface EncodedBody {
  readonly content: string | Uint8Array;
  readonly contentType: string;
}

type Input = Readonly<Record<string, unknown>>;
type ReadFile = (path: string) => Promise<Result<Uint8Array>>;

/** Undefined when no part of the body was given. */
export async function encodeBody(
  body: HttpBody,
  input: Input,
  readFile: ReadFile,
): Promise<Result<EncodedBody | undefined>> {
  const { contentType, content } = body;
  if ("argument" in content) return wholeBody(contentType, input[content.argument], content.isFile, readFile);
  const fields = content.filter(({ argument }) => input[argument] !== undefined);
  if (fields.length === 0) return ok(undefined);
  if (contentType.startsWith("multipart/")) return multipart(fields, input, readFile);
  if (contentType === "application/x-www-form-urlencoded")
    return ok({ content: form(fields, input), contentType });
  const json = Object.fromEntries(fields.map(({ name, argument }) => [name, input[argument]]));
  return ok({ content: JSON.stringify(json), contentType });
}

async function wholeBody(
  contentType: string,
  value: unknown,
  isFile: boolean | undefined,
  readFile: ReadFile,
): Promise<Result<EncodedBody | undefined>> {
  if (value === undefined) return ok(undefined);
  if (isFile) {
    const bytes = await readFile(String(value));
    return bytes.ok ? ok({ content: bytes.value, contentType }) : bytes;
  }
  const isText = typeof value === "string" && !/[/+]json\b/.test(contentType);
  return ok({ content: isText ? value : JSON.stringify(value), contentType });
}

function form(fields: readonly BodyField[], input: Input): string {
  const pairs = fields.flatMap(({ argument, name, style = "form", explode = true }) => {
    const value = input[argument];
    // The standard does not define objects inside forms; `a[b]=c` is the usual convention.
    const nested = value !== null && typeof value === "object" && !Array.isArray(value);
    return queryPairs({ name, explode, style: nested ? "deepObject" : style }, value);
  });
  return new URLSearchParams(pairs.map(([name, value]): [string, string] => [name, value])).toString();
}

async function multipart(
  fields: readonly BodyField[],
  input: Input,
  readFile: ReadFile,
): Promise<Result<EncodedBody>> {
  const boundary = `capstan-${randomUUID()}`;
  const parts: Uint8Array[] = [];
  for (const { argument, name, isFile } of fields) {
    const value = input[argument];
    if (isFile) {
      const bytes = await readFile(String(value));
      if (!bytes.ok) return bytes;
      const fileName = quoted(String(value).split("/").at(-1) ?? "file");
      parts.push(partHead(boundary, `name="${quoted(name)}"; filename="${fileName}"`), bytes.value);
    } else {
      const text = typeof value === "object" ? JSON.stringify(value) : String(value);
      parts.push(partHead(boundary, `name="${quoted(name)}"`), Buffer.from(text));
    }
    parts.push(Buffer.from("\r\n"));
  }
  parts.push(Buffer.from(`--${boundary}--\r\n`));
  const contentType = `multipart/form-data; boundary=${boundary}`;
  return ok({ content: new Uint8Array(Buffer.concat(parts)), contentType });
}

function partHead(boundary: string, disposition: string): Uint8Array {
  return Buffer.from(`--${boundary}\r\ncontent-disposition: form-data; ${disposition}\r\n\r\n`);
}

const quoted = (text: string) => text.replaceAll(/["\r\n\\]/g, (sign) => encodeURIComponent(sign));

/** For a server without sessions: a body that needs a file is refused. */
export const noFiles: ReadFile = async () => fail("session_required", { tool: "a file upload" });
