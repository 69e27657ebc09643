/** Passes `/agent` on to the agent's AG-UI endpoint. In production your own server does this, after its users logged in. */
import react from "@vitejs/plugin-react";
import { defineConfig, type ProxyOptions } from "vite";

const { CAPSTAN_URL = "http://127.0.0.1:4400", CAPSTAN_AGENT = "" } = process.env;

const agent: ProxyOptions = {
  target: CAPSTAN_URL,
  changeOrigin: true,
  rewrite: (path) => path.replace(/^\/agent/, `/v1/agents/${CAPSTAN_AGENT}/ag-ui`),
  // Capstan refuses requests that a browser sends from other sites; this one comes from ours.
  configure: (proxy) => proxy.on("proxyReq", (request) => request.removeHeader("origin")),
};

export default defineConfig({
  plugins: [react()],
  server: { proxy: { "/agent": agent } },
  preview: { proxy: { "/agent": agent } },
});
