/** Who agents are shared with, and links that show a session. */
import type { Feature } from "../http/feature.ts";
import { type ShareRouteParts, shareRoutes } from "./agent-share-routes.ts";
import { type LinkedSessionParts, linkedSessionRoutes } from "./linked-session-routes.ts";
import { type SessionLinkRouteParts, sessionLinkRoutes } from "./session-link-routes.ts";

export interface SharingParts extends ShareRouteParts, SessionLinkRouteParts, LinkedSessionParts {}

export const openSharing = (parts: SharingParts): Feature => ({
  routes: [shareRoutes(parts), sessionLinkRoutes(parts), linkedSessionRoutes(parts)],
});
