/** Words that only announce a text: "the text buy milk" is "buy milk". In all task languages. */
const LEAD_IN =
  /^(?:(?:the|this|a|following|den|dem|der|die|das|diesen|folgenden|el|la|este|esta|siguiente|le|ce|suivant|o|este|seguinte)\s+)*(?:text|words?|line|note|sentence|phrase|message|satz|zeile|notiz|nachricht|texto|frase|nota|línea|linha|mensaje|mensagem|texte|ligne)\s+(?=\S)(?!(?:of|about|from|for|that|to|de|del|du|von|über|sobre|sur|für|para|pour)(?!\p{L}))/iu;

export const withoutLeadIn = (text: string): string => text.replace(LEAD_IN, "");

/** The text in quotes at the start, if there is one. */
export const quotedStart = (text: string): string | undefined =>
  /^"([^"]+)"|^“([^”]+)”|^„([^“”]+)[“”]|^«\s?([^»]+?)\s?»|^'([^']+)'(?!\w)/u
    .exec(text)
    ?.slice(1)
    .find((group) => group !== undefined);
