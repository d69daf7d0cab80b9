import { defineConfig } from "tsup";

export default defineConfig({
  entry: { index: "src/index.ts", embedded: "src/embedded.ts", cli: "src/cli/main.ts" },
  format: "esm",
  target: "es2023",
  platform: "node",
  sourcemap: true,
  clean: true,
  dts: false,
  // "node:sqlite" has no name without the prefix.
  removeNodeProtocol: false,
});
