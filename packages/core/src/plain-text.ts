/** A text without characters that nobody sees, each letter and digit in its plain form: full width, bold or with a separate accent. */
export const plainText = (text: string): string =>
  text.normalize("NFKC").replaceAll(/\p{Default_Ignorable_Code_Point}/gu, "");
