// The front server as a process of its own: `node src/main/front.ts`.
import { openFront, secretsOf } from "./programs.ts";
import { run } from "./run.ts";

await run(
  "Front",
  async (config) => await openFront(config, secretsOf(config)),
  ({ port }) => port,
);
