// The entry `@pawl/sse/dialects`: the wire formats of four existing applications, for clients that already
// speak them.
export { type AspOptions, asp } from "./dialects/plain/asp.ts";
export { type CoachOptions, coach } from "./dialects/plain/coach.ts";
export { type MetricsOptions, metrics } from "./dialects/plain/metrics.ts";
export type { TextMode } from "./dialects/plain/plain-encoder.ts";
export { type TrainerOptions, trainer } from "./dialects/plain/trainer.ts";
