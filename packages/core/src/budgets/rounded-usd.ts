/**
 * US dollars as the API answers them. Costs are stored and compared as they were summed, which leaves 59.809999999999995:
 * they are rounded once, in responses. A cost below the precision is not rounded to zero: it is not free.
 */
const DECIMALS = 6; // a millionth of a dollar: a token of a cheap model

export const roundedUsd = (amount: number): number =>
  Number(amount.toFixed(DECIMALS)) || Number(amount.toPrecision(2));
