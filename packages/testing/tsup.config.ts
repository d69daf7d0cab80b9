import { defineConfig } from "tsup";

export default defineConfig({
  // The package has three doors. The others are here so that the simulated models, the HTTP servers and the
  // contracts come out in files of their own: a bundler for Workers then leaves out those that need Node.
  entry: [
    "src/index.ts",
    "src/dialects.ts",
    "src/kills.ts",
    "src/models/scripted-model.ts",
    "src/models/strict-model.ts",
    "src/messages/messages-api.ts",
    "src/openai/openai-api.ts",
    "src/contract/engine/engine-contract.ts",
    "src/contract/files/file-store-contract.ts",
    "src/contract/reservations/reservations-contract.ts",
    "src/contract/store/event-store-contract.ts",
  ],
  format: "esm",
  target: "es2023",
  platform: "node",
  sourcemap: true,
  clean: true,
  dts: false,
  removeNodeProtocol: false,
});
