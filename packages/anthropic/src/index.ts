export { type ClaudeOptions, claude } from "./claude.ts";
export { pricingOf } from "./pricing.ts";
