/**
 * Builds packages/builtins/data/city-names.json, what other languages call the cities of time zones:
 *   node bench/routing/languages/build-cities.ts <folder>
 * The folder holds `cldr-dates-full` from npm, unpacked (Unicode-3.0). Names that are the same in English are left out.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { cityKey } from "../../../packages/builtins/src/models/city-key.ts";

const [folder = ""] = process.argv.slice(2);
const LANGUAGES = ["de", "es", "fr", "pt", "ja", "zh-Hans", "zh-Hant"];

/** Large cities that no time zone is named after, as the others are called in German, Spanish, French, Portuguese, Japanese and Chinese. */
const MORE: Readonly<Record<string, string>> = {
  beijing: "Peking, Pekín, Pékin, Pequim, 北京, ペキン",
  munich: "München, Múnich, Munique, ミュンヘン, 慕尼黑",
  hamburg: "Hamburgo, Hambourg, ハンブルク, 汉堡",
  barcelona: "Barcelone, バルセロナ, 巴塞罗那",
  milan: "Mailand, Milán, Milão, ミラノ, 米兰",
  geneva: "Genf, Ginebra, Genève, Genebra, ジュネーブ, 日内瓦",
  osaka: "大阪",
  mumbai: "Bombay, Bombaim, ムンバイ, 孟买",
  delhi: "Nueva Delhi, Nova Délhi, デリー, 德里",
  "san francisco": "サンフランシスコ, 旧金山",
  boston: "ボストン, 波士顿",
  seattle: "シアトル, 西雅图",
  washington: "ワシントン, 华盛顿",
  miami: "マイアミ, 迈阿密",
};

const names = new Map<string, string>();
for (const language of LANGUAGES) {
  const path = join(folder, "main", language, "timeZoneNames.json");
  const { main } = JSON.parse(readFileSync(path, "utf8"));
  for (const zones of Object.values<object>(main[language].dates.timeZoneNames.zone)) collect(zones);
}
for (const [city, others] of Object.entries(MORE)) for (const name of others.split(", ")) add(name, city);
const sorted = [...names].sort(([a], [b]) => (a < b ? -1 : 1));
writeFileSync(
  join(import.meta.dirname, "../../../packages/builtins/data/city-names.json"),
  `${JSON.stringify(Object.fromEntries(sorted), null, 1)}\n`,
);
console.log(names.size);

/** Zones are nested: America, Argentina, Buenos_Aires. */
function collect(zones: object): void {
  for (const [city, about] of Object.entries(zones)) {
    if (typeof about !== "object" || about === null) continue;
    if ("exemplarCity" in about) add(String(about.exemplarCity), city.replaceAll("_", " "));
    else collect(about);
  }
}

function add(name: string, city: string): void {
  const [key, english] = [cityKey(name), city.toLowerCase()];
  if (key !== english && !names.has(key)) names.set(key, english);
}
