/** Sessions, their files and the streams of their events. */
import type { Database } from "@capstan/runtime";
import type { Feature } from "../http/feature.ts";
import { type SessionBranchRouteParts, sessionBranchRoutes } from "./session-branch-routes.ts";
import { type SessionEventRouteParts, sessionEventRoutes } from "./session-event-routes.ts";
import { type SessionFileRouteParts, sessionFileRoutes } from "./session-file-routes.ts";
import { type SessionRouteParts, sessionRoutes } from "./session-routes.ts";
import { sessionSearchRoutes } from "./session-search-routes.ts";
import { trajectoryRoutes } from "./trajectory-routes.ts";

export interface SessionParts
  extends SessionRouteParts,
    SessionBranchRouteParts,
    SessionFileRouteParts,
    SessionEventRouteParts {
  readonly database: Database;
}

export const openSessions = (parts: SessionParts): Feature => ({
  routes: [
    sessionSearchRoutes(parts), // before the routes by id: "search" is no session
    sessionRoutes(parts),
    sessionBranchRoutes(parts),
    sessionFileRoutes(parts),
    sessionEventRoutes(parts),
    trajectoryRoutes(parts),
  ],
});
