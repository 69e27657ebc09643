import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { tryTool } from "./fixtures/try-tool.ts";
import { testWeather } from "./test-weather.ts";

describe("test_weather", () => {
  test("the same city has the same weather, marked as made up", async () => {
    const first = await tryTool(testWeather, "get_weather", { city: "Paris" });
    expect(first.value).toMatchObject({ city: "Paris", units: "celsius", is_mock: true });
    expect(await tryTool(testWeather, "get_weather", { city: "Paris" })).toEqual(first);
    expect(await tryTool(testWeather, "get_weather", { city: "Oslo" })).not.toEqual(first);
  });

  test("the forecast starts today and has the requested number of days", async () => {
    const { value } = await tryTool(testWeather, "get_forecast", { city: "Paris", days: 2 });
    expect(value).toMatchObject({ days: [{ date: "2026-03-01" }, { date: "2026-03-02" }] });
    const usual = await tryTool(testWeather, "get_forecast", { city: "Paris" });
    expect((usual.value as { days: unknown[] }).days).toHaveLength(3);
  });

  test("any city has plausible weather in both units", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ minLength: 1, maxLength: 50 }), async (city) => {
        if (city.trim() === "") return;
        const metric = (await tryTool(testWeather, "get_weather", { city })).value as { temperature: number };
        const other = (await tryTool(testWeather, "get_weather", { city, units: "fahrenheit" }))
          .value as typeof metric;
        expect(metric.temperature).toBeGreaterThan(-10);
        expect(metric.temperature).toBeLessThan(45);
        expect(other.temperature).toBe(Math.round(metric.temperature * 1.8 + 32));
      }),
    );
  });

  test.each([{ city: " " }, {}, { city: "Paris", days: 0 }, { city: "Paris", days: 15 }])(
    "refuses %j",
    async (input) => {
      expect((await tryTool(testWeather, "get_forecast", input)).failure?.code).toBe("tool_input_invalid");
    },
  );
});
