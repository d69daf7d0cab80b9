import { defineConfig } from "tsup";

export default defineConfig({
  entry: ["src/index.ts", "src/embedded.ts", "src/cli.ts"],
  format: "esm",
  target: "es2023",
  platform: "node",
  sourcemap: true,
  clean: true,
  dts: false,
  // "node:sqlite" has no name without the prefix.
  removeNodeProtocol: false,
});
