/** The demo model's answers without a tool: who it is, what this agent can do, and how to get a real model. */
import type { ChoosableTool } from "@capstan/core/internal";
import { hasTour, TOUR_WORD } from "./tour.ts";

/** Shown as a button in the studio. */
const ADD_A_KEY = "[Add a provider key](/settings/models)";
const REAL_MODEL = `For real answers: ${ADD_A_KEY}, or run \`capstan providers add\`.`;
const WHO =
  "I am Capstan's built-in demo. I match your words to this agent's tools; I do not understand text.";

/** A message that works, by the tool it needs; those of UNOFFERED are only said when that tool lacks something. */
const EXAMPLES: Readonly<Record<string, string>> = {
  get_current_time: "What time is it in Tokyo?",
  add: "Add 2 and 40",
  get_weather: "What is the weather in Lisbon?",
  read_file: "Read the file /notes.txt",
  delete_file: "Delete the file /notes.txt",
  write_file: "Write hello to /notes.txt and read it back",
  list_directory: "List my files",
  write_todos: "Plan these three things: pack, sail, sleep",
  web_fetch: "Read example.com",
  execute_code: "Run python: print(6 * 7)",
};
const UNOFFERED = new Set(["read_file", "delete_file"]); // there is no file yet
const EXAMPLES_SHOWN = 5;
const NAMES_SHOWN = 12;

const GREETING =
  /^(?:hi|hiya|hey+|heya|hello|hallo|hola|bonjour|ciao|salut|moin|servus|yo|olá|oi|hej|hallå|hei|terve|selam|xin chào|buongiorno|buonasera|buenos días|buenas (?:tardes|noches)|bom dia|boa (?:tarde|noite)|bonsoir|god (?:dag|morgon|kväll)|dzień dobry|dobrý den|goedemorgen|goedendag|γεια(?: σου)?|merhaba|cześć|привет|здравствуйте|добрый день|مرحبا|नमस्ते|你好|您好|こんにちは|안녕하세요|おはよう(?:ございます)?|早上好|सुप्रभात|नमस्कार|สวัสดี|שלום|السلام عليكم|good (?:morning|afternoon|evening)|guten (?:tag|morgen|abend)|greetings|howdy)(?!\p{L})[\s\p{L}',?¿!]{0,32}[!.?👋]*$/iu;
/** "Is anybody home?", "test": somebody tries whether there is an answer at all. */
const PRESENCE =
  /^(?:is )?(?:any(?:body|one)|you|someone|somebody)\b.{0,12}\b(?:home|there|here)\b[?!. ]*$|\bare you there\b|^(?:test(?:ing)?|ping)[\s\d.!?]*$/i;
/** At the beginning, after a greeting at most: "translate “how are you”" asks for something else. */
const HOW_ARE_YOU =
  /^(?:[\p{L}' ]{0,24}[,.!?] *|(?:hi|hey|hello|so|and) )?(?:how are you\b(?! (?:different|better|made))|how(?:'s| is) it going\b|what(?:'?s| is) (?:up|good)\b|wie geht'?s\b)/iu;
const THANKS =
  /^(?:many )?(?:thanks|thank you|thx|ty|cheers|danke|merci|gracias|grazie|obrigad[oa]|tack|dank je|dzięki|спасибо|谢谢|謝謝|ありがとう|감사합니다|great|perfect|nice|cool|awesome|ok(?:ay)?)(?!\p{L})[\s\p{L},'’]{0,24}(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|[\u200d\ufe0f\s!.])*$/iu;
/** Words and pictures that ask for nothing. */
const ACKNOWLEDGED =
  /^(?:lol|ha(?:ha)+|he(?:he)+|hm+|wow|oh|ah|yes|yeah|yep|sure|no|nope|fine|right|next|go on|continue|again|got it|i see|si|oui|ja|nein|non)\b(?:[\s,]+(?:ok(?:ay)?|please|nice|cool|thanks|great|funny))*[\s!.?]*$|^(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|[\u200d\ufe0f\s])+$/iu;
const ANNOYED =
  /\bwhy (?:did(?: not|n'?t) you|did you not|do(?: not|n'?t) you|wo(?: not|n'?t) you) (?:answer|reply|respond|do|work|help|understand)|\b(?:useless|stupid|dumb|sucks?|rubbish|garbage|crap|idiot|terrible|awful|hate (?:this|you|it)|wtf|ugh|(?:is|does|do)(?: not|n'?t) work(?:ing)?|is broken|waste of time)\b/i;
const MOST_ANNOYED_WORDS = 10; // a longer message is about something else
const GOODBYE = /^(?:bye|goodbye|good night|see you|ciao|tsch[uü]ss)\b[\s\p{L},]{0,16}[!.]*$/iu;
const HELP =
  /^(?:\/?help|\?+|menu|start|commands|what now|hilfe)[!.?]*$|\b(?:now what|what(?:'s| is| comes| happens)? (?:next|now))[?!. ]*$|^(?:[\p{L}' ]{0,24}[,.!] *)*(?:where (?:do|should|can) (?:i|we) (?:start|begin)|what (?:should|can|could) (?:i|we) try|i(?:'m| am) new(?: here| to this)?|(?:this is )?(?:my )?first time here|show me something(?: cool| nice| interesting)?|how does this work|get(?:ting)? started)(?: (?:first|now|here))*[!.? ]*$|\bwhat (?:can|do) you do\b|\bwhat (?:is|does) (?:this|it|capstan)(?: (?:thing|app|tool|page|site|place))?(?: do)?[?!. ]*$|\bwhat (?:do|should|can) i do\b(?: (?:now|next|here|first|with .{1,20}))*[?!. ]*$|\bhow (?:do|does|can) (?:i|this|you) (?:start|begin|work|use)\b|\bwhat (?:are|can) (?:your|i) (?:tools|capabilities|skills|ask|try)\b|\bshow me what you can\b|\bwas kannst du\b|\bwas ist das(?: hier)?[?!. ]*$|\bqu[eé] es esto\b|\bc'est quoi(?: ce truc| ça)?[?!. ]*$|\bqu'est-ce que c'est\b|\bcos'è (?:questo|questa|quest[oa] cosa)\b|\bo que é isto\b|\bwat is dit\b|\bvad är det h[äa]r\b|\bco to (?:jest|za)\b|(?<!\p{L})что это(?: такое)?[?!. ]*$|这是什么|這是什麼|これは何|이게 뭐|\bque (?:peux-tu|pouvez-vous|sais-tu) faire\b|\bqué (?:puedes|sabes) hacer\b|\bcosa (?:puoi|sai) fare\b|\bo que (?:você )?(?:pode|sabe) fazer\b|\bwat kun je\b|\bvad kan du\b|\bco (?:potrafisz|umiesz)\b|(?<!\p{L})что ты (?:умеешь|можешь)|(?:你|您)(?:能|可以|会)(?:做|帮).*什么|何ができ|무엇을 할 수/iu;
const WHO_ARE_YOU =
  /\b(?:who|what) are you\b|\bwho (?:made|built|created|trained) you\b|\bam i (?:talking|speaking|chatting) (?:to|with)\b|^(?:so )?is (?:this|it|that)(?: really| actually| just)? (?:an? )?(?:chat)?(?:ai|bot|human|real person|gpt\S*|claude|gemini|llama|llm)[?!. ]*$|\bwhat model\b|\bwhich model\b|\bare you (?:an? )?(?:ai|bot|human|real|chatgpt|gpt|claude|llm)\b|\byour name\b/i;

type Answer = (tools: readonly ChoosableTool[]) => string;

const TALK: readonly (readonly [RegExp, Answer])[] = [
  [GREETING, (tools) => `Hello! ${WHO}\n\n${invitation(tools)}`],
  [PRESENCE, (tools) => `Yes, I am here. ${WHO}\n\n${invitation(tools)}`],
  [HOW_ARE_YOU, (tools) => `All systems are up, thank you. ${WHO}\n\n${invitation(tools)}`],
  [GOODBYE, () => "Goodbye. This conversation is kept; you find it under Chat."],
  [THANKS, () => "You are welcome."],
  [ACKNOWLEDGED, (tools) => `Whenever you are ready: ${nextTry(tools)}.`],
  [HELP, (tools) => `${WHO}\n\n${invitation(tools)}`],
  [WHO_ARE_YOU, (tools) => `${WHO} No request leaves this machine to answer you.\n\n${invitation(tools)}`],
];

export function smallTalk(task: string, tools: readonly ChoosableTool[]): string | undefined {
  const said = task.trim();
  if (ANNOYED.test(said) && !/\bmy\b/i.test(said) && said.split(/\s+/).length <= MOST_ANNOYED_WORDS)
    return sorry(tools);
  return TALK.find(([pattern]) => pattern.test(said))?.[1](tools);
}

const sorry = (tools: readonly ChoosableTool[]): string =>
  `Sorry about that. ${WHO} If a tool failed, **Details** above shows what happened.\n\n${invitation(tools)}`;

const nextTry = (tools: readonly ChoosableTool[]): string =>
  hasTour(tools)
    ? `say **${TOUR_WORD}** for the tour, or **help** for examples`
    : "say **help** for examples";

/** "Fix", "explain": only a model that understands the text can do that, whichever tools there are. */
const NEEDS_A_MODEL =
  /^(?:please\s+|(?:can|could|would) you\s+(?:please\s+)?)?(fix|debug|explain|refactor|rewrite|proofread|improve|translate)\b/i;

export function needsModel(task: string, tools: readonly ChoosableTool[]): boolean {
  const [, verb] = NEEDS_A_MODEL.exec(task.trim()) ?? [];
  return verb !== undefined && tools.every(({ name }) => !name.toLowerCase().includes(verb.toLowerCase()));
}

const OTHER_SCRIPT = /[^\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}]/u;
/** Frequent words of other languages that are not English words. */
const OTHER_WORDS =
  /(?<!\p{L})(?:ich|mir|mich|dir|kannst|mein|meine|das|auf|über|und|ist|ein|eine|einen|wie|wo|wann|wird|nicht|bitte|für|mit|zeig|schreib|mach|je|moi|une|avec|mon|ma|mes|les|des|dans|sur|pour|est-ce|écris|traduis|fais|quel|quelle|peux|una|mi|por|para|con|escribe|traduce|haz|cómo|qué|puedes|che|mio|mia|della|scrivi|traduci|fammi|sono|puoi|perché|você|uma|como|een|het|naar|kun|jag|och|är|att|nie|jak|jest)(?!\p{L})/iu;

/** Nothing fits well enough to be called. */
export function noFit(task: string, tools: readonly ChoosableTool[]): string {
  const isForeign = OTHER_SCRIPT.test(task) || OTHER_WORDS.test(task);
  const reads = isForeign ? " I read little but English." : "";
  return `None of this agent's tools clearly does that, so I called none. I am the demo model and cannot write, explain or translate by myself.${reads}\n\n${invitation(tools)}`;
}

/** A tool fits, but required input is missing. */
export function askFor(tool: string, lacking: readonly string[]): string {
  const example = EXAMPLES[tool];
  const needed = lacking.map((name) => `\`${name}\``).join(" and ");
  const how = example === undefined ? "Please say it in your message." : `For example: “${example}”.`;
  return `I would use \`${tool}\`, but it also needs ${needed}. ${how}`;
}

function invitation(tools: readonly ChoosableTool[]): string {
  if (tools.length === 0) return `This agent has no tools, so the demo can only talk. ${REAL_MODEL}`;
  const examples = tools
    .flatMap(({ name }) => (UNOFFERED.has(name) ? [] : (EXAMPLES[name] ?? [])))
    .slice(0, EXAMPLES_SHOWN);
  const names = tools.slice(0, NAMES_SHOWN).map(({ name }) => `\`${name}\``);
  const more = tools.length > names.length ? ` and ${tools.length - names.length} more` : "";
  const offers = [
    ...(hasTour(tools) ? [`say **${TOUR_WORD}** for a two-minute tour`] : []),
    ...(examples.length > 0 ? ["try one of these"] : []),
  ].join(", or ");
  const lines = [
    ...(offers ? [`${offers[0]?.toUpperCase()}${offers.slice(1)}${examples.length > 0 ? ":" : "."}`] : []),
    ...(examples.length > 0 ? ["", ...examples.map((text) => `- ${text}`)] : []),
    ...(offers ? [""] : []),
    `This agent's tools: ${names.join(", ")}${more}.`,
    "",
    REAL_MODEL,
  ];
  return lines.join("\n");
}
