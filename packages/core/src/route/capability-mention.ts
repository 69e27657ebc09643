/**
 * "search the web with brave", "fork it on github": the capability's own name is not a value. It is replaced by
 * spaces, so that every other value keeps its position in the text.
 */
const BEFORE =
  "on|in|with|using|via|by|through|from|at|to|of|auf|mit|über|per|bei|aus|en|con|por|sur|avec|dans|chez|em|no|na|com";
const ARTICLE = "(?:(?:the|my|our|der|dem|den|el|la|le|o|a)\\s+)?";
const ASKED = "ask|use|using|search|query|tell|let|have";

export function withoutMention(task: string, names: readonly string[]): string {
  return names
    .filter((name) => /^[\p{L}\d][\p{L}\d .-]{2,30}$/u.test(name))
    .reduce((text, name) => {
      const said = name.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&").replaceAll(/[\s_-]+/g, "[\\s_-]+");
      const whole = `${said}(?=\\s*(?:[,.;:!?]|$)|\\s+(?:for|to|in|with|and|that|which|called|named|titled|nach|für|el|la|le|los)(?![\\p{L}]))`;
      return text
        .replace(new RegExp(`(?<!\\p{L})(?:${BEFORE})\\s+${ARTICLE}${whole}`, "giu"), blank)
        .replace(new RegExp(`(?<=(?<!\\p{L})(?:${ASKED})\\s+${ARTICLE})${whole}`, "giu"), blank);
    }, task);
}

const blank = (text: string): string => " ".repeat(text.length);
