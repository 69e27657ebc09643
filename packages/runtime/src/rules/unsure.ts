/**
 * Thrown to leave an expression's value to the library. A single value without a stack, because it may be thrown for
 * every rule.
 */
export const UNSURE: unique symbol = Symbol("left to the library");
