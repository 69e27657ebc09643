/**
 * The same twelve wishes in seven languages, over the desk of bench/tasks, the built-ins and the catalog. Written before any
 * dictionary was looked at; every second one is held out.
 */
export type TaskLanguage = "en" | "de" | "es" | "fr" | "pt" | "ja" | "zh";

export interface LanguageTask {
  readonly capability: string;
  readonly tasks: Readonly<Record<TaskLanguage, string>>;
}

export const LANGUAGE_TASKS: readonly LanguageTask[] = [
  {
    capability: "test_weather",
    tasks: {
      en: "what will the weather be like in Paris tomorrow?",
      de: "Wie wird das Wetter morgen in Paris?",
      es: "¿Qué tiempo hará mañana en París?",
      fr: "Quel temps fera-t-il demain à Paris ?",
      pt: "Como vai estar o tempo amanhã em Paris?",
      ja: "明日のパリの天気はどうですか",
      zh: "明天巴黎的天气怎么样？",
    },
  },
  {
    capability: "current_time",
    tasks: {
      en: "what time is it in Tokyo right now?",
      de: "Wie spät ist es gerade in Tokio? Ich brauche die Uhrzeit.",
      es: "¿Qué hora es ahora en Tokio?",
      fr: "Quelle heure est-il maintenant à Tokyo ?",
      pt: "Que horas são agora em Tóquio?",
      ja: "東京の現在の時刻を教えてください",
      zh: "东京现在是什么时间？",
    },
  },
  {
    capability: "media.image.generate",
    tasks: {
      en: "draw a picture of a red bicycle on a beach",
      de: "Zeichne ein Bild von einem roten Fahrrad am Strand",
      es: "Dibuja una imagen de una bicicleta roja en la playa",
      fr: "Dessine une image d'un vélo rouge sur la plage",
      pt: "Desenhe uma imagem de uma bicicleta vermelha na praia",
      ja: "浜辺の赤い自転車の絵を描いて",
      zh: "画一张沙滩上红色自行车的图片",
    },
  },
  {
    capability: "company.plan",
    tasks: {
      en: "write a business plan for a small bakery",
      de: "Schreibe einen Geschäftsplan für eine kleine Bäckerei",
      es: "Escribe un plan de negocio para una pequeña panadería",
      fr: "Rédige un plan d'affaires pour une petite boulangerie",
      pt: "Escreva um plano de negócios para uma pequena padaria",
      ja: "小さなパン屋の事業計画を書いてください",
      zh: "为一家小面包店写一份商业计划",
    },
  },
  {
    capability: "translator",
    tasks: {
      en: "translate this document into English: offer.docx",
      de: "Übersetze das Dokument angebot.docx ins Englische",
      es: "Traduce el documento oferta.docx al inglés",
      fr: "Traduis le document offre.docx en anglais",
      pt: "Traduza o documento proposta.docx para inglês",
      ja: "文書 offer.docx を英語に翻訳してください",
      zh: "把文件 offer.docx 翻译成英文",
    },
  },
  {
    capability: "calendar",
    tasks: {
      en: "which appointments are in my calendar on Friday?",
      de: "Welche Termine stehen am Freitag in meinem Kalender?",
      es: "¿Qué citas hay en mi calendario el viernes?",
      fr: "Quels rendez-vous y a-t-il dans mon calendrier vendredi ?",
      pt: "Que compromissos há no meu calendário na sexta-feira?",
      ja: "金曜日のカレンダーの予定を見せて",
      zh: "我的日历上星期五有哪些安排？",
    },
  },
  {
    capability: "invoices",
    tasks: {
      en: "show me all unpaid invoices",
      de: "Zeig mir alle unbezahlten Rechnungen",
      es: "Muéstrame todas las facturas sin pagar",
      fr: "Montre-moi toutes les factures impayées",
      pt: "Mostre-me todas as faturas não pagas",
      ja: "未払いの請求書をすべて表示して",
      zh: "显示所有未付的发票",
    },
  },
  {
    capability: "mail",
    tasks: {
      en: "search my messages for the letter from the landlord",
      de: "Durchsuche meine E-Mails nach dem Schreiben des Vermieters",
      es: "Busca en mi correo electrónico la carta del casero",
      fr: "Cherche dans mes courriels la lettre du propriétaire",
      pt: "Procure no meu correio eletrônico a carta do senhorio",
      ja: "大家からの手紙を電子メールで検索して",
      zh: "在我的电子邮件里搜索房东的信",
    },
  },
  {
    capability: "images",
    tasks: {
      en: "rotate the picture scan.png by 90 degrees",
      de: "Drehe das Bild scan.png um 90 Grad",
      es: "Gira la imagen scan.png 90 grados",
      fr: "Fais pivoter l'image scan.png de 90 degrés",
      pt: "Gire a imagem scan.png 90 graus",
      ja: "画像 scan.png を90度回転させて",
      zh: "把图片 scan.png 旋转90度",
    },
  },
  {
    capability: "reminders",
    tasks: {
      en: "remind me tomorrow to call the bank",
      de: "Erinnere mich morgen daran, die Bank anzurufen",
      es: "Recuérdame mañana que llame al banco",
      fr: "Rappelle-moi demain d'appeler la banque",
      pt: "Lembre-me amanhã de ligar para o banco",
      ja: "明日銀行に電話することを思い出させて",
      zh: "提醒我明天给银行打电话",
    },
  },
  {
    capability: "currency",
    tasks: {
      en: "convert 200 dollars into euros at today's rate",
      de: "Rechne 200 Dollar zum heutigen Kurs in Euro um, welche Währung ist stärker?",
      es: "Convierte 200 dólares en euros al tipo de cambio de hoy",
      fr: "Convertis 200 dollars en euros au taux de change du jour",
      pt: "Converta 200 dólares em euros à taxa de câmbio de hoje",
      ja: "200ドルを今日の為替レートでユーロに換算して",
      zh: "按今天的汇率把200美元换算成欧元",
    },
  },
  {
    capability: "contacts",
    tasks: {
      en: "what is Maria's phone number in the address book?",
      de: "Wie lautet die Telefonnummer von Maria im Adressbuch?",
      es: "¿Cuál es el número de teléfono de María en la agenda de direcciones?",
      fr: "Quel est le numéro de téléphone de Maria dans le carnet d'adresses ?",
      pt: "Qual é o número de telefone da Maria na agenda de endereços?",
      ja: "住所録にあるマリアの電話番号は何ですか",
      zh: "通讯录里玛丽亚的电话号码是多少？",
    },
  },
];
