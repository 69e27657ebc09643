import { expect, test } from "vitest";
import { placeOf, timezoneOf } from "./city-zones.ts";

test.each([
  ["what time is it in Nairobi", "Africa/Nairobi"],
  ["time in San Francisco", "America/Los_Angeles"],
  ["Wie spät ist es in Tokio?", "Asia/Tokyo"],
  ["Quelle heure est-il à Montréal ?", "America/Toronto"],
  ["¿Qué hora es en Ciudad de México?", "America/Mexico_City"],
  ["Que horas são em Lisboa?", "Europe/Lisbon"],
  ["ニューヨークは今何時ですか", "America/New_York"],
  ["现在伦敦几点了？", "Europe/London"],
  ["what time is it in Kenya", "Africa/Nairobi"],
  ["日本は今何時ですか", "Asia/Tokyo"],
  ["what time is it in Gotham", undefined],
  ["tell me the time", undefined],
])("%j is about the time zone %s", (text, zone) => {
  expect(timezoneOf(text)).toBe(zone);
});

test.each([
  ["東京の天気を教えてください", "Tokyo"],
  ["明天北京天气怎么样", "Beijing"],
  ["weather in Paris", undefined],
])("%j names the place %s in another language", (text, place) => {
  expect(placeOf(text)).toBe(place);
});
