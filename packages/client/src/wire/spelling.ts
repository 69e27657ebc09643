/** The API uses snake_case, the code camelCase: converts an object's own keys, in types and in values. */

export type SnakeCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? First extends Lowercase<First>
    ? `${First}${SnakeCase<Rest>}`
    : `_${Lowercase<First>}${SnakeCase<Rest>}`
  : Name;
export type CamelCase<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : Name;

export type SnakeKeys<T> = T extends object ? { [Key in keyof T & string as SnakeCase<Key>]: T[Key] } : T;
export type CamelKeys<T> = T extends object ? { [Key in keyof T & string as CamelCase<Key>]: T[Key] } : T;

export const snakeCase = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
export const camelCase = (name: string): string =>
  name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

export const snakeKeys = <T extends object>(value: T): SnakeKeys<T> =>
  renamed(value, snakeCase) as SnakeKeys<T>;
export const camelKeys = <T extends object>(value: T): CamelKeys<T> =>
  renamed(value, camelCase) as CamelKeys<T>;

const renamed = (value: object, rename: (name: string) => string): object =>
  Object.fromEntries(Object.entries(value).map(([name, each]) => [rename(name), each]));
