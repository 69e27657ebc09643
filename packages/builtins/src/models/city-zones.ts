/**
 * The IANA zone of a place named in a text. Most zones are named after cities; other large cities are listed here. The names of the
 * same cities in other languages are read from data at the first text in which no English name is found.
 */
import { readFileSync } from "node:fs";
import { cityKey } from "./city-key.ts";

const MORE: Readonly<Record<string, string>> = {
  "san francisco": "America/Los_Angeles",
  seattle: "America/Los_Angeles",
  california: "America/Los_Angeles",
  boston: "America/New_York",
  washington: "America/New_York",
  miami: "America/New_York",
  beijing: "Asia/Shanghai",
  mumbai: "Asia/Kolkata",
  delhi: "Asia/Kolkata",
  bangalore: "Asia/Kolkata",
  munich: "Europe/Berlin",
  hamburg: "Europe/Berlin",
  barcelona: "Europe/Madrid",
  milan: "Europe/Rome",
  geneva: "Europe/Zurich",
  osaka: "Asia/Tokyo",
  montreal: "America/Toronto",
  kyiv: "Europe/Kiev",
};

/** Countries with several zones whose people nearly all live in one. */
const MAIN_ZONES: Readonly<Record<string, string>> = {
  DE: "Europe/Berlin",
  ES: "Europe/Madrid",
  PT: "Europe/Lisbon",
  CN: "Asia/Shanghai",
  MY: "Asia/Kuala_Lumpur",
  NZ: "Pacific/Auckland",
  UA: "Europe/Kiev",
};
const LANGUAGES = ["en", "de", "es", "fr", "pt", "ja", "zh"];
const NAMES = new URL("../../data/city-names.json", import.meta.url);
const LONGEST_NAME = 4; // in words

let english: Map<string, string> | undefined;
let foreign: Map<string, string> | undefined;
let countries: Map<string, string> | undefined;

export function timezoneOf(text: string): string | undefined {
  english ??= loadCities();
  const here = nameIn(text, english);
  if (here !== undefined) return english.get(here);
  const city = placeOf(text);
  if (city !== undefined) return english.get(city.toLowerCase());
  countries ??= loadCountries();
  const country = nameIn(text, countries);
  return country && countries.get(country);
}

/** The words of a text that name the place of its zone, in whichever language. */
export function placeWords(text: string): string {
  english ??= loadCities();
  countries ??= loadCountries();
  return [english, foreignCities(), countries].map((names) => nameIn(text, names) ?? "").join(" ");
}

/** What a text calls a place of this zone: "Boston", although the zone is called New York's. */
export function cityIn(text: string, zone: string): string | undefined {
  english ??= loadCities();
  const name = nameIn(text, english);
  return name !== undefined && english.get(name) === zone ? titled(name) : undefined;
}

/** The English name of a city that another language calls differently: "Tokyo" for 東京. */
export function placeOf(text: string): string | undefined {
  const names = foreignCities();
  const name = nameIn(text, names);
  const city = name && names.get(name);
  return city && titled(city);
}

function foreignCities(): ReadonlyMap<string, string> {
  foreign ??= new Map(Object.entries(JSON.parse(readFileSync(NAMES, "utf8")) as Record<string, string>));
  return foreign;
}

const titled = (name: string): string => name.replace(/(?<!\p{L})\p{L}/gu, (letter) => letter.toUpperCase());

/** The longest name in the text. Japanese and Chinese have no spaces, so there every position may begin one. */
function nameIn(text: string, names: ReadonlyMap<string, string>): string | undefined {
  const words = cityKey(text).split(" ");
  for (let length = LONGEST_NAME; length >= 1; length--) {
    for (let at = 0; at + length <= words.length; at++) {
      const name = words.slice(at, at + length).join(" ");
      if (names.has(name)) return name;
    }
  }
  const characters = text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー・]{2,}/gu);
  return characters ? longest(characters.join(" "), names) : undefined;
}

function longest(characters: string, names: ReadonlyMap<string, string>): string | undefined {
  let found: string | undefined;
  for (const name of names.keys())
    if (
      /^[^\p{Script=Latin}]{2}/u.test(name) &&
      name.length > (found?.length ?? 0) &&
      characters.includes(name)
    )
      found = name;
  return found;
}

function loadCities(): Map<string, string> {
  const found = new Map<string, string>(Object.entries(MORE));
  for (const zone of Intl.supportedValuesOf("timeZone")) {
    const city = zone
      .slice(zone.lastIndexOf("/") + 1)
      .replaceAll("_", " ")
      .toLowerCase();
    if (zone.includes("/") && !found.has(city)) found.set(city, zone);
  }
  found.set("utc", "UTC");
  return found;
}

/** Countries of one time zone, in every language that tasks are read in. */
function loadCountries(): Map<string, string> {
  const found = new Map<string, string>();
  const names = LANGUAGES.map(
    (language) => new Intl.DisplayNames([language], { type: "region", fallback: "none" }),
  );
  for (const region of regions()) {
    const zones = (new Intl.Locale(`und-${region}`) as LocaleWithZones).getTimeZones?.() ?? [];
    const zone = MAIN_ZONES[region] ?? (zones.length === 1 ? zones[0] : undefined);
    if (zone === undefined) continue;
    for (const each of names) {
      const name = each.of(region);
      if (name !== undefined) found.set(cityKey(name), zone);
    }
  }
  return found;
}

/** In every Node that we support, and not yet in TypeScript's library. */
type LocaleWithZones = Intl.Locale & { getTimeZones?(): string[] };

/** Every pair of letters; those that are not a country have no name or no zone. */
function* regions(): Generator<string> {
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  for (const first of letters) for (const second of letters) yield first + second;
}
