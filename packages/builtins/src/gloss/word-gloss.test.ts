import { createRouteIndex, rank, routeDocument } from "@capstan/core";
import { describe, expect, test } from "vitest";
import { builtinCapabilities } from "../builtin-capabilities.ts";
import { catalogCapabilities } from "../catalog/catalog-capabilities.ts";
import { staticEmbedding } from "../models/static-embedding.ts";
import { wordGloss } from "./word-gloss.ts";

const index = createRouteIndex({ embed: staticEmbedding(), gloss: wordGloss });
for (const capability of [...builtinCapabilities(), ...catalogCapabilities()])
  if (capability.tools.length > 0) index.add(routeDocument(capability));

describe("tasks in other languages", () => {
  test.each([
    ["Wie ist das Wetter in Hamburg?", "test_weather"],
    ["¿Qué hora es en Madrid?", "current_time"],
    ["Dessine une image d'un château", "media.image.generate"],
    ["Escreva um plano de negócios para a minha empresa", "company.plan"],
    ["東京の天気を教えて", "test_weather"],
    ["画一张图片", "media.image.generate"],
  ])("%j goes to %s", (task, id) => {
    expect(rank(task, index).matches[0]?.id).toBe(id);
  });

  test.each([
    "what is the weather in Paris",
    "3 * 4",
    "delete old.txt",
    "try Sake with a 芳醇 flavour",
    "",
    "blorp fnord",
    "define ataraxy",
    "call erryn",
    "no way!",
  ])("%j stays unchanged", (task) => {
    expect(wordGloss(task, () => true)).toBeUndefined();
  });

  test("a task is not refused because words of it are missing in the dictionary; nonsense still is", () => {
    const plan = "Rédige un plan d'affaires pour une petite boulangerie";
    expect(rank(plan, index).matches[0]?.id).toBe("company.plan");
    expect(rank("Corte a grama do jardim", index).noMatch).toBe(true);
  });

  test("of several translations, those in the catalog are used", () => {
    const only = (known: string) => wordGloss("Wie wird das Wetter?", (word) => word === known);
    expect(only("weather")).toContain("weather");
  });

  test("a word of the catalog that no dictionary has whole stays as it is", () => {
    const known = new Set(["markdown", "convert", "brand"]);
    const english = wordGloss("Wandle den Bericht in Markdown um", (word) => known.has(word));
    expect(english).toContain("markdown");
    expect(english).not.toContain("brand");
  });

  test("a request without function words is recognised by its words", () => {
    expect(wordGloss("enviar documento", () => true)).toContain("send");
  });

  test("function words keep what they say of the request: who asks, how many, all", () => {
    expect(wordGloss("Wie viele meiner Rechnungen sind offen?", () => true)).toMatch(/^how many my/);
    expect(wordGloss("cancela todas las reservas", () => true)).toContain("all");
    expect(wordGloss("我的发票在哪里", () => true)).toMatch(/^my .*where$/);
  });

  test("a German verb that came apart is one verb again", () => {
    expect(wordGloss("Sagen Sie bitte den Termin ab", (word) => word === "cancel")).toContain("cancel");
  });

  test("a word that the dictionary lacks is read as the English word it looks like, if the catalog has that", () => {
    const text = "Quiero un diagnóstico de mi refrigerador";
    expect(wordGloss(text, (word) => word === "diagnostic")).toContain("diagnostic");
    expect(wordGloss(text, () => false)).not.toContain("diagnostic");
  });

  test("Japanese verbs are found in every form", () => {
    expect(wordGloss("本を借りたい", () => true)).toContain("borrow");
  });

  test("paths, numbers and addresses stay", () => {
    const said = wordGloss("Schicke bitte die Datei /a/b.pdf an ann@example.com und 20 Euro", () => false);
    for (const kept of ["/a/b.pdf", "ann@example.com", "20"]) expect(said).toContain(kept);
  });

  test("names of object properties are not words", () => {
    expect(wordGloss("der constructor und das __proto__ sind hier", () => false)).not.toContain("native");
  });
});
