export type { RestateEngineOptions } from "./engine/options.ts";
export { type RestateEngine, restateEngine } from "./engine/restate-engine.ts";
