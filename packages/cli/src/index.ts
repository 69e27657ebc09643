export { type PackedProject, pack, packFolder } from "./new/pack.ts";
export { type ScaffoldedProject, type ScaffoldOptions, scaffold } from "./new/scaffold.ts";
