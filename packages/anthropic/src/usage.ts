import { type RawUsage, type UsageChargesOptions, usageCharges } from "@pawl/core/model";
import { pricingOf } from "./pricing.ts";

/** Fields of a usage that are counted, or that cost nothing. */
const KNOWN: ReadonlySet<string> = new Set([
  "input_tokens",
  "output_tokens",
  "cache_read_input_tokens",
  "cache_creation_input_tokens",
  "cache_creation",
  "cache_creation.ephemeral_5m_input_tokens",
  "cache_creation.ephemeral_1h_input_tokens",
  "output_tokens_details",
  "output_tokens_details.thinking_tokens",
  "server_tool_use",
  "server_tool_use.web_search_requests",
  "server_tool_use.web_fetch_requests",
  "server_tool_use.code_execution_requests",
  "service_tier",
  "inference_geo",
  "speed",
  "iterations",
  "fallback_credit",
  "fallback_credit.status",
]);

/** Makes the function that adds to the usage of one answer what is charged besides tokens. */
export function chargesOf(
  options: Omit<UsageChargesOptions, "known" | "pricingOf">,
): (usage: object) => RawUsage {
  return usageCharges({ ...options, pricingOf, known: KNOWN });
}
