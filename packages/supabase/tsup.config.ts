import { defineConfig } from "tsup";

export default defineConfig({
  entry: { index: "src/index.ts", cli: "src/cli/main.ts" },
  format: "esm",
  target: "es2023",
  // Only the command uses Node, and nothing else imports it.
  platform: "neutral",
  external: [/^node:/],
  removeNodeProtocol: false,
  sourcemap: true,
  clean: true,
  dts: false,
});
