/** The IANA zone of a city named in a text: most zones are named after cities; exceptions are listed here. */

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
  japan: "Asia/Tokyo",
  germany: "Europe/Berlin",
  france: "Europe/Paris",
};

let cities: Map<string, string> | undefined;

export function timezoneOf(text: string): string | undefined {
  cities ??= loadCities();
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? [];
  for (let length = 3; length >= 1; length--) {
    for (let at = 0; at + length <= words.length; at++) {
      const zone = cities.get(words.slice(at, at + length).join(" "));
      if (zone !== undefined) return zone;
    }
  }
  return undefined;
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
