/** The demo model's answers to a newcomer's questions about Capstan itself, given when no tool fits the message. */

const SETTINGS = "[Settings](/settings/models)";

const ABOUT: readonly (readonly [asked: RegExp, answer: string])[] = [
  [
    /^where\b.*\b(?:my|the|our) (?:files?|documents?|folders?)\b(?!.*\b(?:stored?|saved?|kept)\b)/i,
    "The files of this conversation are in its panel **Files**, and every session keeps its own: open an older one under [Sessions](/sessions).",
  ],
  [
    /\b(?:how|what|why|explain|when)\b.*\bapprov(?:e|ed|al|als|ing)\b(?: (?:a|the|this|that|it|them|something|things?|calls?|tools?|runs?|process|flow|button|do|does|is|are|mean|works?|here|needed|required|asked|for|in capstan))*[?!. ]*$/i,
    "A tool that needs approval does not run until somebody answers: you see the call with its arguments, and allow it, change it or deny it. The run waits, also over a restart. Everything that waits is under [Approvals](/approvals). Say **tour** to try it.",
  ],
  [
    /\b(?:is|are|does|do)\b.{0,12}\b(?:this|it|capstan|you)\b.{0,20}\b(?:free|cost|subscription)\b|\bfree to use\b|\b(?:kostenlos|gratuite?|gratis)\b|無料|免费|免費|무료|бесплатн|^(?:what(?:'s| is| are)? )?(?:the |your )?(?:price|prices|pricing|subscription|costs?)(?: of (?:this|it|capstan))?[?!. ]*$|\bhow much (?:does|do|will|would|is) (?:this|it|that|capstan|you|we|i)\b(?! \w+ (?:have|need|want|eat|drink|weigh))|\bdo (?:i|we) (?:have|need) to pay\b/i,
    "Capstan and this demo cost nothing. With a provider's key you pay that provider for what you use; [Usage](/usage) shows tokens and cost, and [Budgets](/budgets) limit them.",
  ],
  [
    /\b(?:where|who|is|are|do(?:es)?)\b.*\b(?:data|conversations?|chats?|messages?|files?)\b.*\b(?:stored?|saved?|kept|safe|secure|private|leaves?|sent|shared?|seen?|go(?:es)?)\b|\b(?:where|who)\b.*\b(?:store|save|keep|sees?|reads?)\b.*\b(?:data|conversations?|chats?|messages?|files?)\b|^(?:what about |how about |your |and )*(?:my )?privacy(?: policy)?[?!. ]*$/i,
    "Everything is stored on the machine where the server runs, in the folder that [This server](/settings/about) names. The demo sends nothing to anybody. A model of a provider receives the conversation it answers.",
  ],
  [
    /\bapi[- ]?keys?\b|\b(?:where|how|add|enter|paste|put|need|use|set)\b.{0,30}\bkeys?(?: in| here)?[?!. ]*$|\b(?:openai|anthropic|google|gemini|mistral|provider)(?:'s)? keys?\b|\b(?:add|use|connect|set ?up|configure|switch|choose|change|get|install|support|run|what|which)\b.*\b(?:models?|providers?|openai|anthropic|gemini|claude|gpt\S*|ollama|mistral|deepseek|llama\S*)(?!\p{L})/iu,
    `Open ${SETTINGS}, choose a provider and paste its key; it is tested before it is saved. In a terminal: \`capstan providers add\`. A model server on this machine, such as Ollama or LM Studio, is found without a key.`,
  ],
  [
    /\b(?:difference between|what(?:'s| is| are)|explain|define)\b(?: an?| the)? (?:capabilit(?:y|ies)|agents?|harness(?:es)?)\b(?: (?:and|vs\.?|or)(?: an?| the)? (?:capabilit(?:y|ies)|agents?|harness(?:es)?))?(?: in capstan)?[?!. ]*$/i,
    "A [capability](/capabilities) is a prompt with tools and the rights they need, such as **Files**. An [agent](/agents) is a list of capabilities with a prompt of its own and a model. A harness is the program that runs the agent: Capstan itself, or one of ten [coding agents](/coding-agents).",
  ],
  [
    /^(?:please )?(?:show|list|open|see|where are|what are)(?: me)?(?: all)?(?: of)? (?:my|the) (?:agents|assistants|bots)[?!. ]*$/i,
    "Your agents are under [Agents](/agents).",
  ],
  [
    /\b(?:uninstall|remove|get rid of)\b.*\b(?:this|it|capstan|you)[?!. ]*$/i,
    "Stop the server with Ctrl-C, then delete its folder and the folder with its data, which [This server](/settings/about) names.",
  ],
  [
    /^(?:is|are|what|which|under)\b.*\b(?:open[- ]?source|licen[cs]ed?)\b/i,
    "Capstan is open source, under the MIT licence.",
  ],
  [
    /^(?:how|can|do|does|where|is)\b.*\b(?:docker|kubernetes|k8s|deploy(?:ed)?|production|self[- ]?host(?:ed)?)\b/i,
    "To try Capstan you need neither Docker nor a database. How to run it for others, with Postgres, in a container or as a service, is in `docs/deployment.md` of the repository.",
  ],
  [
    /^(?:where|is there|are there|do you have|show me|link)\b.*\b(?:documentation|docs|manual|tutorials?)\b/i,
    "The guides are in the folder `docs` of the repository; the HTTP API, with a form to try it, is at [API](/docs).",
  ],
  [
    /^(?:how|can|could|do|does|is)\b.*\b(?:my|our|other|several|multiple|more) (?:team|colleagues?|coworkers?|friends?|users?|people)\b/i,
    "Add people under [Users](/settings/users) and give each the scopes they need; agents and conversations can be shared. How people sign in is in `docs/login.md` of the repository.",
  ],
  [
    /^(?:please )?(?:can you )?remember\b/i,
    "The demo keeps no facts. An agent with the capability **Memory** does; they are listed under [Memory](/memories).",
  ],
  [
    /\b(?:build|create|make|write|develop)\b.*\b(?:agents?|assistants?|(?:chat)?bots?)\b/i,
    "Open [Agents](/agents) and choose **New agent**: give it capabilities, put them in order, write its prompt and try it there. Its tools come from the [capabilities](/capabilities) you give it.",
  ],
  [
    /\b(?:remind|wake|alert) me\b|\btimer\b|\balarm\b|\bevery (?:day|hour|week|month|morning|evening|night|\p{L}+day)\b|\bschedules?\b/iu,
    "I keep no time, but a [schedule](/schedules) can start an agent at a time of your choice, once or again and again.",
  ],
  [
    /\b(?:do|can) you (?:speak|understand|know)\b|\bsprichst du\b|\bparle[sz](?:-tu|-vous)?\b|\bhabla[sn]?\b|\bparl[ai]\b|\bfala\b/i,
    "The demo answers in English, and knows a few phrases of other languages. A real model speaks yours.",
  ],
  [
    /\b(?:difference|different|compared?|better|instead|rather|alternative|replaces?|versus|vs)\b.*\b(?:chatgpt|gpt|claude|gemini|copilot|n8n|zapier|dify|autogen|crewai|lang\w+|mastra)\b|\bwhy (?:would|should|do) (?:i|we|one|anybody|anyone) (?:use|need|want|choose) (?:this|it|capstan)\b|\bwhat(?:'s| is) the point\b|\bwhat do i need (?:this|it|capstan|you) for\b/i,
    "Capstan is not a model. It runs agents with the model you choose: it gives them tools, asks before a tool runs where you want that, continues after a crash, and records every step. The demo only stands in until a model is there.",
  ],
  [
    /^(?:how|can|could|do|does|is|are|will)\b.*\b(?:connect|access|integrat\w*|link|plug|hook|talk to|work with|read|use|support)\b.*\b(?:database|postgres\w*|mysql|sql|slack|github|gitlab|jira|notion|google|gmail|outlook|calendar|drive|teams|discord|telegram|whatsapp|salesforce|mcp|apis?|webhooks?|e-?mails?|crm)\b/i,
    "An agent reaches other systems through its capabilities: add an MCP server, an API with an OpenAPI description, a package or a program under [Packages](/packages), and sign in under [Connections](/connections). Then give the capability to an agent.",
  ],
  [
    /\b(?:can|could|do|are) you (?:see|hear|watch|listen|look|record)\w*\b.*\b(?:my|me|i|screen|camera|microphone|voice|files?|computer|browser)\b/i,
    "I see only this conversation: what you write and the files you attach. What a tool may reach is decided by the agent's capabilities and by its approvals.",
  ],
  [
    /^(?!\s*\d{1,4}([-/.])\d\d?\1\d{2,4}\b)[^\p{L}]*(?:what(?:'s| is)|calculate|compute)?[^\p{L}]*\d[\d\s.,()]*[-+*/^%×÷][-+*/^%×÷\d\s.,()]*[?=]*$|\d\s*(?:%|percent)\s*(?:of|off|from|to|plus|more|less)\b|\b(?:percentage of|square root|sqrt|squared|cubed|to the power)\b/iu,
    "The calculator adds, subtracts, multiplies or divides two numbers at a time: “Multiply 0.2 by 80” works. A real model splits other calculations into such steps.",
  ],
  [
    /^(?:please\s+)?(?:stop|cancel|abort|undo|forget)\b/i,
    "Nothing is running. **Stop** ends an answer while it is written; a conversation is deleted from its menu in the list of conversations.",
  ],
];

export const aboutCapstan = (message: string): string | undefined =>
  ABOUT.find(([asked]) => asked.test(message))?.[1];
