export type { PgBossEngineOptions } from "./engine/options.ts";
export { type PgBossEngine, pgBossEngine } from "./engine/pg-boss-engine.ts";
