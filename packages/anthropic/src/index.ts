export type { ClaudeBodyOptions } from "./body.ts";
export { type ClaudeOptions, claude } from "./claude.ts";
export { pricingOf } from "./pricing.ts";
