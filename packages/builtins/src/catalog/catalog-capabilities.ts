/** The catalog: capabilities with a route, found by tasks. Their texts are in hints.ts, their behaviour in the tools. */
import { type AnyTool, type Capability, defineCapability } from "@capstan/core";
import type { CatalogHint } from "./catalog-hint.ts";
import type { CatalogParts } from "./catalog-parts.ts";
import { generalChat } from "./chat.ts";
import { createCompany, listCompanies, nameCompany, planCompany } from "./company.ts";
import { CATALOG_HINTS, type CatalogId } from "./hints.ts";
import { localAiTools } from "./local-ai.ts";
import { generateImage, generateVideo } from "./media.ts";
import { proxyExtract, proxyFetch } from "./proxy.ts";
import { fetchPage, researchDeep, searchWeb } from "./research.ts";
import { dispatchWebhook, listWebhookEvents } from "./webhook.ts";

export function catalogCapabilities(parts: CatalogParts = {}): Capability[] {
  const localAi = localAiTools(parts);
  const tools: Record<CatalogId, AnyTool> = {
    "chat.general": generalChat(parts),
    "company.create": createCompany(),
    "company.list": listCompanies(),
    "company.plan": planCompany(parts),
    "company.name": nameCompany(parts),
    "research.deep": researchDeep(parts),
    "research.search": searchWeb(parts),
    "research.fetch-page": fetchPage(),
    "media.image.generate": generateImage(parts),
    "media.video.generate": generateVideo(parts),
    "localai.chat": localAi.chat,
    "localai.models": localAi.models,
    "localai.stats": localAi.stats,
    "localai.ingest": localAi.ingest,
    "localai.search": localAi.search,
    "proxy.fetch": proxyFetch(),
    "proxy.extract": proxyExtract(),
    "proxy.search": searchWeb(parts, "proxy_search"),
    "webhook.events": listWebhookEvents(),
    "webhook.dispatch": dispatchWebhook(parts),
  };
  return Object.entries(tools).map(([id, tool]) => {
    const { name, description, icon, category, routing }: CatalogHint = CATALOG_HINTS[id as CatalogId];
    return defineCapability({
      id,
      name,
      description,
      icon,
      category,
      source: "http",
      routing,
      tools: [tool],
    });
  });
}
