import react from "@vitejs/plugin-react";
import { defaultClientConditions, defineConfig } from "vite";

/** The page lives in `web`; the server serves what is built. `vite` alone proxies to a server that runs beside it. */
export default defineConfig({
  root: "web",
  plugins: [react()],
  resolve: { conditions: ["@pawl/source", ...defaultClientConditions] },
  build: { outDir: "../dist/web", emptyOutDir: true, target: "es2022" },
  server: { proxy: { "/api": "http://127.0.0.1:4321" } },
});
