/** The fields of a call's arguments that an expression reads, from what the parser made of it. */
import type { ExpressionField } from "@capstan/core/internal";
import type { ASTNode } from "@marcbachmann/cel-js";

type Path = readonly string[];
/** What a name stands for: the arguments, or in a loop the items of a list of them. */
type Items = Readonly<Record<string, Path>>;

export function fieldsIn(ast: ASTNode): ExpressionField[] {
  const found: ExpressionField[] = [];
  visit(ast, { args: [] }, found);
  return found;
}

function visit(node: ASTNode, items: Items, found: ExpressionField[]): void {
  const path = pathOf(node, items);
  if (path !== undefined) add(path, false, found);
  else if (node.op === "call" && node.args[0] === "has") add(pathOf(node.args[1][0], items), true, found);
  else if (node.op === "rcall") visitMethod(node.args, items, found);
  else {
    if (node.op === "in") add(keyIn(node.args, items), true, found);
    for (const part of partsOf(node.args)) visit(part, items, found);
  }
}

function add(path: Path | undefined, isAsked: boolean, found: ExpressionField[]): void {
  if (path && path.length > 0) found.push({ path, isAsked });
}

/** `"to" in args` */
function keyIn([name, place]: readonly [ASTNode, ASTNode], items: Items): Path | undefined {
  const isKey = name.op === "value" && typeof name.args === "string" && pathOf(place, items)?.length === 0;
  return isKey ? [String(name.args)] : undefined;
}

/** A method's first argument may name the items of the list that it is called on. */
function visitMethod(
  [, receiver, operands]: readonly [string, ASTNode, readonly ASTNode[]],
  items: Items,
  found: ExpressionField[],
): void {
  visit(receiver, items, found);
  const [variable] = operands;
  const list = pathOf(receiver, items);
  const isLoop = operands.length > 1 && variable?.op === "id";
  const inside = isLoop && list !== undefined ? { ...items, [variable.args]: list } : items;
  for (const operand of operands) visit(operand, inside, found);
}

/** Of `args.a.b`, `args["a"].b` and `args.list[0].b`; undefined of anything else. */
function pathOf(node: ASTNode | undefined, items: Items): Path | undefined {
  if (node?.op === "id") return Object.hasOwn(items, node.args) ? items[node.args] : undefined;
  if (node === undefined) return undefined;
  if (node.op === ".") {
    const of = pathOf(node.args[0], items);
    return of && [...of, node.args[1]];
  }
  if (node.op !== "[]") return undefined;
  const [place, key] = node.args;
  const of = pathOf(place, items);
  if (of === undefined || key.op !== "value") return undefined;
  return typeof key.args === "string" ? [...of, key.args] : of;
}

const partsOf = (args: unknown): ASTNode[] => {
  if (Array.isArray(args)) return args.flatMap(partsOf);
  return typeof args === "object" && args !== null && "op" in args ? [args as ASTNode] : [];
};
