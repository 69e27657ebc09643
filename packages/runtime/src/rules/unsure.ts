/** Thrown where an expression's value is left to the library. One value, without a stack: it may be thrown for every rule. */
export const UNSURE: unique symbol = Symbol("left to the library");
