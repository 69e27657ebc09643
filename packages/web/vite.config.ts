/** Builds the studio into `dist`, which the server serves at `/`. `npm run dev -w packages/web` proxies to a running server. */
import tailwind from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { lucideIcons } from "./lucide-icons.ts";

const SERVER = "http://127.0.0.1:4400";
const SERVED_BY_SERVER = ["/v1", "/api", "/health", "/ready", "/openapi.json", "/docs", "/mcp"];

// A test runner or a shell that set NODE_ENV must not decide which React people get.
// biome-ignore lint/style/noProcessEnv: the build's own, not the studio's
if (process.argv.includes("build") || process.env.NODE_ENV === "test") process.env.NODE_ENV = "production";

export default defineConfig({
  plugins: [react(), tailwind(), lucideIcons()],
  build: {
    target: "es2023",
    modulePreload: { polyfill: false }, // every browser that runs this has it
  },
  server: { proxy: Object.fromEntries(SERVED_BY_SERVER.map((path) => [path, SERVER])) },
});
