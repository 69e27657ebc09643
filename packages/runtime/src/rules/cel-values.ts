/**
 * A parsed CEL expression as functions over the call that is decided: what many rules share is evaluated once for a decision.
 *
 * It never guesses. Anything unusual (a missing field, an odd type, an overflow) throws `UNSURE`, and the library
 * evaluates the whole expression instead, so all errors come from the library.
 */
import type { RuleCall } from "@capstan/core/internal";
import type { ASTNode } from "@marcbachmann/cel-js";
import { FUNCTIONS, known, METHODS, OPERATORS, plainField } from "./cel-operations.ts";
import { UNSURE } from "./unsure.ts";

export type CelValue = () => unknown;
/** Evaluates a part of an expression by the library. */
export type Evaluate = (facts: Readonly<Record<string, unknown>>) => unknown;

const MOST_SHARED = 5_000; // beyond it the table is cleared: later expressions share among themselves

/** The current decision. Deciding is synchronous, so there is only one. */
const decided = { at: 0, facts: {} as Readonly<Record<string, unknown>> };
let lastDecision: number | undefined;
const shared = new Map<string, CelValue>();

/** Call first. Values are cached until the next decision number; without one, until the next call. */
export function beginDecision(
  call: RuleCall,
  decision: number | undefined,
): Readonly<Record<string, unknown>> {
  if (decision === undefined || decision !== lastDecision) {
    decided.at += 1;
    decided.facts = factsOf(call);
    lastDecision = decision;
  }
  return decided.facts;
}

export const decidedFacts = (): Readonly<Record<string, unknown>> => decided.facts;

const factsOf = ({ args, agentId: agent, capabilityId: capability, ...call }: RuleCall) => ({
  args: typeof args === "object" && args !== null ? args : {},
  agent,
  capability,
  user: call.user,
  tool: call.tool,
  risk: call.risk,
  path: call.path,
  groups: [...call.groups],
  scopes: [...call.scopes],
  connections: [...call.connections],
  seen: [...call.seen],
  now: call.now,
});

/** Undefined where the library has to evaluate all of it. */
export function compileValue(
  node: ASTNode,
  evaluate: (part: ASTNode) => Evaluate | undefined,
): CelValue | undefined {
  return new ValueCompiler(evaluate).compile(node);
}

class ValueCompiler {
  readonly #evaluate: (part: ASTNode) => Evaluate | undefined;
  /** Expressions have one loop at most, so one variable is enough. */
  #loop: { readonly name: string; item: unknown } | undefined;

  constructor(evaluate: (part: ASTNode) => Evaluate | undefined) {
    this.#evaluate = evaluate;
  }

  compile(node: ASTNode): CelValue | undefined {
    const value = this.#operation(node);
    if (value !== undefined) return value;
    if (this.#usesItem(node)) return undefined;
    return share(node, () => this.#byLibrary(node));
  }

  #byLibrary(node: ASTNode): CelValue | undefined {
    const evaluate = this.#evaluate(node);
    if (evaluate === undefined) return undefined;
    return () => {
      try {
        return evaluate(decided.facts);
      } catch {
        throw UNSURE;
      }
    };
  }

  #operation(node: ASTNode): CelValue | undefined {
    switch (node.op) {
      case "value":
        return isPlain(node.args) ? constant(node.args) : undefined;
      case "id":
        return this.#variable(node.args);
      case ".":
        return this.#field(node, node.args[0], node.args[1]);
      case "[]":
        return this.#item(node, ...node.args);
      case "call":
        return this.#call(node, node.args[0], node.args[1]);
      case "rcall":
        return this.#method(node, ...node.args);
      case "list":
        return this.#list(node.args);
      case "!_":
      case "-_":
        return this.#operator(node.op, [node.args]);
      default:
        return Array.isArray(node.args) ? this.#operator(node.op, node.args as ASTNode[]) : undefined;
    }
  }

  #operator(op: string, operands: readonly ASTNode[]): CelValue | undefined {
    const make = Object.hasOwn(OPERATORS, op) ? OPERATORS[op] : undefined;
    const values = make && this.#all(operands);
    return values && make?.(values, operands.map(constantOf));
  }

  #all(nodes: readonly ASTNode[]): CelValue[] | undefined {
    const values = nodes.map((each) => this.compile(each));
    return values.every((each) => each !== undefined) ? values : undefined;
  }

  #variable(name: string): CelValue | undefined {
    const loop = this.#loop;
    if (loop?.name === name) return () => loop.item;
    return Object.hasOwn(FACTS, name) ? () => decided.facts[name] : undefined;
  }

  #field(node: ASTNode, of: ASTNode, name: string): CelValue | undefined {
    return this.#kept(node, () => {
      const value = this.compile(of);
      return value && (() => plainField(value(), name));
    });
  }

  #item(node: ASTNode, of: ASTNode, at: ASTNode): CelValue | undefined {
    const key = constantOf(at)?.value;
    if (typeof key === "string") return this.#field(node, of, key);
    if (typeof key !== "bigint") return undefined;
    return this.#kept(node, () => {
      const list = this.compile(of);
      return list && (() => itemOf(list(), Number(key)));
    });
  }

  #list(nodes: readonly ASTNode[]): CelValue | undefined {
    const items = nodes.map(constantOf);
    const isConstant = items.every((each) => each !== undefined);
    return isConstant ? constant(items.map((each) => each?.value)) : undefined;
  }

  #call(node: ASTNode, name: string, operands: readonly ASTNode[]): CelValue | undefined {
    if (name === "has") return this.#kept(node, () => this.#has(operands[0]));
    const make = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : undefined;
    if (make === undefined) return undefined;
    return this.#kept(node, () => {
      const values = this.#all(operands);
      return values && make(values);
    });
  }

  /** Only of a field of a field of a variable; a missing field on the way is an error. */
  #has(of: ASTNode | undefined): CelValue | undefined {
    if (of?.op !== ".") return undefined;
    const [parent, name] = of.args;
    const value = this.compile(parent);
    return value && (() => plainField(value(), name, true) !== undefined);
  }

  #method(
    node: ASTNode,
    name: string,
    receiver: ASTNode,
    operands: readonly ASTNode[],
  ): CelValue | undefined {
    if (Object.hasOwn(LOOPS, name)) return this.#loopOver(name, receiver, operands);
    const make = Object.hasOwn(METHODS, name) ? METHODS[name] : undefined;
    if (make === undefined) return undefined;
    const { isTest } = make;
    const compiled = () => {
      const values = this.#all([receiver, ...operands]);
      return values && make.of(values, operands.map(constantOf));
    };
    return isTest ? compiled() : this.#kept(node, compiled);
  }

  #kept(node: ASTNode, make: () => CelValue | undefined): CelValue | undefined {
    return this.#usesItem(node) ? make() : share(node, make);
  }

  #loopOver(name: string, over: ASTNode, [variable, body]: readonly ASTNode[]): CelValue | undefined {
    const list = this.compile(over);
    if (list === undefined || variable?.op !== "id" || body === undefined) return undefined;
    const loop = { name: variable.args, item: undefined as unknown };
    this.#loop = loop;
    const each = this.compile(body);
    this.#loop = undefined;
    const make = LOOPS[name];
    if (each === undefined || make === undefined) return undefined;
    return make(list, (item) => {
      loop.item = known(item);
      return each();
    });
  }

  #usesItem(node: unknown): boolean {
    const name = this.#loop?.name;
    return name !== undefined && mentions(node, name);
  }
}

const FACTS: Readonly<Record<string, true>> = {
  args: true,
  agent: true,
  capability: true,
  user: true,
  tool: true,
  risk: true,
  path: true,
  groups: true,
  scopes: true,
  connections: true,
  seen: true,
  now: true,
};

type Loop = (list: CelValue, body: (item: unknown) => unknown) => CelValue;

/** The library ignores an item's error if another item decides; here any error counts. */
const LOOPS: Readonly<Record<string, Loop>> = {
  exists: (list, body) => () => {
    for (const item of listOf(list())) if (isTrue(body(item))) return true;
    return false;
  },
  all: (list, body) => () => {
    for (const item of listOf(list())) if (!isTrue(body(item))) return false;
    return true;
  },
  filter: (list, body) => () => listOf(list()).filter((item) => isTrue(body(item))),
};

function itemOf(value: unknown, at: number): unknown {
  return known(listOf(value)[at]);
}

function listOf(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw UNSURE;
  return value;
}

function isTrue(value: unknown): boolean {
  if (typeof value !== "boolean") throw UNSURE;
  return value;
}

/** One function for all equal parts of all rules: it is evaluated once for a decision. */
function share(node: ASTNode, make: () => CelValue | undefined): CelValue | undefined {
  const key = keyOf(node);
  const known = shared.get(key);
  if (known) return known;
  const value = make();
  if (value === undefined) return undefined;
  if (shared.size >= MOST_SHARED) shared.clear();
  const kept = keep(value);
  shared.set(key, kept);
  return kept;
}

/** Evaluated once for a decision. */
export function keep<T>(value: () => T): () => T {
  let at = 0;
  let kept: T;
  return () => {
    if (at !== decided.at) {
      kept = value();
      at = decided.at;
    }
    return kept;
  };
}

export interface Constant {
  readonly value: unknown;
}

const constant = (value: unknown): CelValue => Object.assign(() => value, { constant: { value } });

const constantOf = (node: ASTNode): Constant | undefined =>
  node.op === "value" && isPlain(node.args) ? { value: node.args } : undefined;

const isPlain = (value: unknown): boolean =>
  value === null || ["string", "number", "bigint", "boolean"].includes(typeof value);

/** Equal for equal parts, and only for them. */
export function keyOf(part: unknown): string {
  if (Array.isArray(part)) return `[${part.map(keyOf).join()}]`;
  if (typeof part === "object" && part !== null)
    return "op" in part && "args" in part
      ? `(${String(part.op)} ${keyOf(part.args)})`
      : `{${part.constructor.name} ${String(part)}}`;
  return typeof part === "string" ? JSON.stringify(part) : `${typeof part} ${String(part)}`;
}

function mentions(part: unknown, name: string): boolean {
  if (Array.isArray(part)) return part.some((each) => mentions(each, name));
  if (typeof part !== "object" || part === null || !("op" in part) || !("args" in part)) return false;
  return part.op === "id" ? part.args === name : mentions(part.args, name);
}
