/** The adapters of a remote Capstan: the same registry, with the server's capabilities. */
import type { CodingAgentAdapter, CodingAgentCapabilities } from "@capstan/core/internal";
import type { AdapterRegistry } from "../adapter-registry.ts";
import type { RemoteServer } from "./remote-server.ts";

export function remoteAdapters(server: RemoteServer, shipped: AdapterRegistry): AdapterRegistry {
  const told = new Map<string, CodingAgentAdapter>();
  const tell = (name: string, capabilities: CodingAgentCapabilities) =>
    told.set(name, Object.freeze({ ...shipped.get(name), capabilities }));
  const get = (name: string) => told.get(name) ?? shipped.get(name);
  return {
    ...shipped,
    get,
    list: () => shipped.list().map(({ name }) => get(name)),
    capabilities: (name) => get(name).capabilities,
    /** Whether the server has it; its capabilities are the server's from then on. */
    async detect(agent) {
      const capabilities = await server.capabilities(agent);
      if (!capabilities) return { agent, installed: false };
      tell(agent, capabilities);
      return { agent, installed: true };
    },
  };
}
