/** Short names for the parts of a directory. */
import type { Directory } from "@capstan/runtime";

export type DirectoryUsers = Directory["users"];
export type DirectoryGroups = Directory["groups"];
export type DirectoryUser = NonNullable<Awaited<ReturnType<DirectoryUsers["get"]>>>;
export type DirectoryUserInput = Parameters<DirectoryUsers["create"]>[0];
export type DirectoryGroup = NonNullable<Awaited<ReturnType<DirectoryGroups["get"]>>>;
export type DirectoryGroupChange = Parameters<DirectoryGroups["change"]>[1];
export type MemberChange = NonNullable<DirectoryGroupChange["members"]>[number];
export type DirectoryRange = Parameters<DirectoryUsers["page"]>[1];
export type DirectoryToken = NonNullable<Awaited<ReturnType<Directory["tokens"]["find"]>>>;
