/** The nine capabilities of the specification, in its order, then our own. To add one: its file, and a line here. */
import type { Capability, Sandbox } from "@capstan/core";
import { currentTime } from "./capabilities/current-time.ts";
import { memory } from "./capabilities/memory.ts";
import { noop } from "./capabilities/noop.ts";
import { researchCapability } from "./capabilities/research.ts";
import { sandboxCapability } from "./capabilities/sandbox.ts";
import { sessionFileSystem } from "./capabilities/session-file-system.ts";
import { statelessTodoList } from "./capabilities/stateless-todo-list.ts";
import { testMath } from "./capabilities/test-math.ts";
import { testWeather } from "./capabilities/test-weather.ts";
import { type WebFetchLimits, webFetchCapability } from "./capabilities/web-fetch.ts";
import type { SearchSettings } from "./search/search-provider.ts";

export interface BuiltinOptions {
  /** Languages that code can run in here. */
  readonly sandbox?: Pick<Sandbox, "unavailable"> | undefined;
  /** Web search providers, the default first; an agent's config may choose. Without any, `web_search` is hidden. */
  readonly search?: readonly SearchSettings[] | undefined;
  readonly webFetch?: Partial<WebFetchLimits> | undefined;
}

export function builtinCapabilities({ sandbox, search, webFetch }: BuiltinOptions = {}): Capability[] {
  return [
    noop,
    currentTime,
    testMath,
    testWeather,
    researchCapability(search),
    sandboxCapability(sandbox),
    sessionFileSystem,
    webFetchCapability(webFetch),
    statelessTodoList,
    memory,
  ];
}
