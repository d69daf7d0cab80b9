import { defineConfig } from "tsup";

export default defineConfig({
  // `hints` is no door: only the error path loads it, by its path.
  entry: ["index", "store", "model", "tools", "view", "inspect", "disk", "zod3", "base/hints"].map(
    (door) => `src/${door}.ts`,
  ),
  format: "esm",
  target: "es2023",
  platform: "neutral",
  sourcemap: true,
  // The sources are in the package, so its source maps need no copy of them.
  esbuildOptions: (options) => {
    options.sourcesContent = false;
  },
  clean: true,
  dts: false,
  // What `./disk` is for. Any other of Node's modules is an error: the main entry runs anywhere.
  external: ["node:fs", "node:fs/promises", "node:path"],
  removeNodeProtocol: false,
});
