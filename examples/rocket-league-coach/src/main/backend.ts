// The backend as a process of its own: `node src/main/backend.ts`.
import { openBackend, secretsOf } from "./programs.ts";
import { run } from "./run.ts";

await run(
  "Backend",
  async (config) => await openBackend(config, secretsOf(config)),
  ({ backendPort }) => backendPort,
);
