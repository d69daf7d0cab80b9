import { defineConfig } from "tsup";

export default defineConfig({
  entry: ["src/index.ts", "src/cli.ts"],
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
