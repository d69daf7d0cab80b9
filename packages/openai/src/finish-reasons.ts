import { PawlError } from "@pawl/core";

/** By stop reason of the Messages API: the finish reasons of servers that mean the same, in lower case. */
// Sources: docs/dialects.md names them. Cohere and TGI spell their reasons like this in every API.
const SPELLINGS: { readonly [stop: string]: readonly string[] } = {
  end_turn: ["stop", "end_turn", "eos", "eos_token", "end", "complete"],
  stop_sequence: ["stop_sequence"],
  tool_use: ["tool_calls", "tool_call", "tool_use", "function_call"],
  max_tokens: ["length", "max_tokens", "max_output_tokens"],
  model_context_window_exceeded: ["model_length", "model_context_window_exceeded"],
  refusal: [
    "content_filter",
    "refusal",
    "safety",
    "recitation",
    "blocklist",
    "prohibited_content",
    "spii",
    "guardrail_intervened",
    "content_filtered",
    "sensitive",
  ],
};

const STOPS: ReadonlyMap<string, string> = new Map(
  Object.entries(SPELLINGS).flatMap(([stop, names]) => names.map((name) => [name, stop] as const)),
);

/** Finish reasons of an answer that its server could not complete. */
const BROKEN: ReadonlySet<string> = new Set([
  "error",
  "abort",
  "network_error",
  "insufficient_system_resource",
  "malformed_function_call",
]);

/**
 * Returns the stop reason in the words of the Messages API. An unknown reason is not changed.
 *
 * @throws PawlError `model_error`, retryable, if the server says that it could not complete the answer
 */
export function stopNamed(finishReason: string): string {
  const name = finishReason.toLowerCase();
  if (BROKEN.has(name))
    throw new PawlError(
      "model_error",
      `The server could not complete the answer (finish_reason "${finishReason}").`,
      { details: { type: "server_error", retryable: true } },
    );
  return STOPS.get(name) ?? finishReason;
}
