export { type BuiltinOptions, builtinCapabilities } from "./builtin-capabilities.ts";
export { currentTime } from "./capabilities/current-time.ts";
export { noop } from "./capabilities/noop.ts";
export { researchCapability } from "./capabilities/research.ts";
export { SANDBOX, sandboxCapability } from "./capabilities/sandbox.ts";
export { sessionFileSystem } from "./capabilities/session-file-system.ts";
export { statelessTodoList } from "./capabilities/stateless-todo-list.ts";
export { testMath } from "./capabilities/test-math.ts";
export { testWeather } from "./capabilities/test-weather.ts";
export { type WebFetchLimits, webFetchCapability } from "./capabilities/web-fetch.ts";
export { type BuiltinId, CAPABILITY_IDS } from "./capability-ids.ts";
export { catalogCapabilities } from "./catalog/catalog-capabilities.ts";
export type { CatalogHint } from "./catalog/catalog-hint.ts";
export type {
  CatalogParts,
  CatalogSpender,
  DocumentStore,
  LocalAi,
  SearchHit,
} from "./catalog/catalog-parts.ts";
export { CATALOG_HINTS, type CatalogId } from "./catalog/hints.ts";
export { wordGloss } from "./gloss/word-gloss.ts";
export { type HtmlOptions, htmlToMarkdown, htmlToText } from "./html/html-to-markdown.ts";
export { placeOf, timezoneOf } from "./models/city-zones.ts";
export { offlineModel } from "./models/demo/offline.ts";
export { meaningAnchors } from "./models/meaning-anchors.ts";
export { isMinilmInstalled, type Minilm, openMinilm } from "./models/minilm.ts";
export { MINILM_DIMENSIONS } from "./models/minilm-graph.ts";
export { type MinilmThread, openMinilmThread } from "./models/minilm-thread.ts";
export { openTable, staticEmbedding } from "./models/static-embedding.ts";
export { countTokens } from "./models/tokenizer.ts";
export { createWordPieces, type WordPieces } from "./models/word-pieces.ts";
export type { SearchProviderName, SearchSettings } from "./search/search-provider.ts";
export { searchUnavailable, searchWeb } from "./search/search-web.ts";
