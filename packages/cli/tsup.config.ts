import { defineConfig } from "tsup";

export default defineConfig({
  entry: { index: "src/index.ts", cli: "src/command/main.ts" },
  format: "esm",
  target: "es2023",
  platform: "node",
  sourcemap: true,
  clean: true,
  dts: false,
  removeNodeProtocol: false,
});
