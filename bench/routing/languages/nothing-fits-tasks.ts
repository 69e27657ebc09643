/** Tasks that nothing on the desk serves, four in each language, written before any was tried: what a gentler refusal costs. */
import type { TaskLanguage } from "./language-tasks.ts";

export const NOTHING_FITS: Readonly<Partial<Record<TaskLanguage, readonly string[]>>> = {
  de: [
    "Bring bitte den Müll raus",
    "Wie streiche ich eine feuchte Kellerwand?",
    "Schneide mir die Haare kürzer",
    "Warum schnurren Katzen?",
  ],
  es: [
    "Saca al perro a pasear esta noche",
    "¿Por qué el cielo es azul?",
    "Arregla el grifo de la cocina",
    "Hazme un masaje en la espalda",
  ],
  fr: [
    "Repasse mes chemises avant ce soir",
    "Pourquoi les chats ronronnent-ils ?",
    "Répare le robinet de la cuisine",
    "Promène le chien dans le parc",
  ],
  pt: [
    "Leve o cachorro para passear",
    "Por que o céu é azul?",
    "Conserte a torneira da cozinha",
    "Corte a grama do jardim",
  ],
  ja: ["犬を散歩に連れて行って", "なぜ空は青いのですか", "台所の蛇口を直して", "庭の草を刈ってください"],
  zh: ["带狗出去散步", "为什么天空是蓝色的", "修理厨房的水龙头", "帮我剪头发"],
};
