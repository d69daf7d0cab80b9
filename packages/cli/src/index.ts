// The entry `@pawl/cli`: the type of what `pawl worker` imports.

export type { WorkerModule } from "./worker/load-app.ts";
