export type { OpenAIBodyOptions } from "./body.ts";
export { type OpenAIOptions, openai } from "./openai.ts";
export { pricingOf } from "./pricing.ts";
