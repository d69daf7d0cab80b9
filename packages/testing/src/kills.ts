// The entry `@pawl/testing/kills`: kills and freezes the workers of an engine, to see that every run ends.

export type { KillReport, Waits } from "./kills/kill-report.ts";
export { type KillOptions, killWorkers, type WorkerFleet } from "./kills/kill-workers.ts";
export { type KilledWorker, killedWorker } from "./kills/worker.ts";
