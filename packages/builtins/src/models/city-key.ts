/** A city's name for look-up: lower case, without accents and brackets, single spaces between words. */
export const cityKey = (name: string): string =>
  name
    .replace(/[[(（].*$/u, "")
    .normalize("NFD")
    .replace(/(?<=\p{Script=Latin})\p{M}+/gu, "")
    .normalize("NFC")
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, " ")
    .trim();
