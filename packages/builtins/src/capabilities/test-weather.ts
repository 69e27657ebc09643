/** test_weather: made-up weather, always the same for a city, to test tool calling. It never calls a real service. */
import { defineCapability, defineTool, ok } from "@capstan/core";
import { z } from "zod";
import { CAPABILITY_IDS } from "../capability-ids.ts";

const CONDITIONS = [
  "sunny",
  "partly cloudy",
  "cloudy",
  "light rain",
  "rain",
  "thunderstorms",
  "snow",
  "fog",
] as const;
const DAY_MS = 86_400_000;

const city = z.string().trim().min(1).max(100).describe('The city, for example "Paris".');
const units = z.enum(["celsius", "fahrenheit"]).default("celsius").describe("The unit of temperatures.");

const conditions = {
  condition: z.enum(CONDITIONS),
  humidity_percent: z.int(),
  wind_kmh: z.int(),
};

const getWeather = defineTool({
  name: "get_weather",
  risk: "read",
  description: "Get current weather for a city (mock data)",
  input: z.object({ city, units }),
  output: z.object({
    city: z.string(),
    temperature: z.number(),
    units,
    ...conditions,
    is_mock: z.literal(true),
  }),
  idempotent: true,
  run({ city, units }) {
    const { celsius, ...weather } = mockWeather(city, 0);
    return ok({ city, temperature: inUnits(celsius, units), units, ...weather, is_mock: true as const });
  },
});

const getForecast = defineTool({
  name: "get_forecast",
  risk: "read",
  description: "Get multi-day forecast for a city (mock data)",
  input: z.object({
    city,
    days: z.int().min(1).max(14).default(3).describe("How many days, from today on."),
    units,
  }),
  output: z.object({
    city: z.string(),
    units,
    days: z.array(z.object({ date: z.iso.date(), high: z.number(), low: z.number(), ...conditions })),
    is_mock: z.literal(true),
  }),
  idempotent: true,
  run({ city, days, units }, { now }) {
    const forecast = Array.from({ length: days }, (_, day) => {
      const { celsius, ...weather } = mockWeather(city, day);
      const date = new Date(now().getTime() + day * DAY_MS).toISOString().slice(0, 10);
      return { date, high: inUnits(celsius + 3, units), low: inUnits(celsius - 5, units), ...weather };
    });
    return ok({ city, units, days: forecast, is_mock: true as const });
  },
});

export const testWeather = defineCapability({
  id: CAPABILITY_IDS.TEST_WEATHER,
  name: "Test Weather",
  description: "Testing tool calling with mock weather data.",
  icon: "cloud-sun",
  category: "Testing",
  systemPrompt:
    "You have access to weather tools. Use get_weather for current conditions and get_forecast for multi-day forecasts.",
  tools: [getWeather, getForecast],
  routing: {
    triggers: [
      "what is the weather",
      "weather in Paris",
      "weather forecast",
      "will it rain tomorrow",
      "temperature outside",
      "forecast for the week",
    ],
    tags: ["weather", "forecast", "temperature", "rain", "sun", "wind", "climate"],
    domain: "weather",
    actions: ["get", "forecast", "check"],
  },
});

function mockWeather(city: string, day: number) {
  const random = hash(`${city.toLowerCase()}#${day}`);
  const celsius = (hash(city.toLowerCase()) % 30) - 2 + (random % 5);
  const weather = CONDITIONS[(random >>> 3) % CONDITIONS.length] ?? "sunny";
  return {
    celsius,
    condition: weather === "snow" && celsius > 4 ? ("rain" as const) : weather,
    humidity_percent: 30 + ((random >>> 6) % 65),
    wind_kmh: (random >>> 12) % 45,
  };
}

function inUnits(celsius: number, units: "celsius" | "fahrenheit"): number {
  return units === "celsius" ? celsius : Math.round((celsius * 9) / 5 + 32);
}

/** FNV-1a: small, and the same on every machine. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (const char of text) value = Math.imul(value ^ (char.codePointAt(0) ?? 0), 0x01000193);
  return value >>> 0;
}
