// The entry `@pawl/sse/dialects`: the wire formats of four existing applications, for clients that already speak them.
export { type AspOptions, asp } from "./dialects/asp.ts";
export { type CoachOptions, coach } from "./dialects/coach.ts";
export { type MetricsOptions, metrics } from "./dialects/metrics.ts";
export type { TextMode } from "./dialects/plain-encoder.ts";
export { type TrainerOptions, trainer } from "./dialects/trainer.ts";
