import react from "@vitejs/plugin-react";
import { defaultClientConditions, defineConfig } from "vite";

/**
 * Builds the page in `web`, which the server then serves. `vite` alone proxies requests to a running server.
 */
export default defineConfig({
  root: "web",
  plugins: [react()],
  resolve: { conditions: ["@pawl/source", ...defaultClientConditions] },
  build: { outDir: "../dist/web", emptyOutDir: true, target: "es2022" },
  server: { proxy: { "/api": "http://127.0.0.1:4321" } },
});
