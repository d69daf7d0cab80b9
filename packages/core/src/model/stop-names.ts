import { PawlError } from "../base/errors.ts";

/** By stop reason of the Messages API: the names that servers give it, in lower case. */
// The corpus of `@pawl/testing/dialects` names their sources.
const SPELLINGS: { readonly [stop: string]: readonly string[] } = {
  end_turn: ["stop", "end_turn", "eos", "eos_token", "end", "complete"],
  stop_sequence: ["stop_sequence"],
  pause_turn: ["pause_turn"],
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

/** Names by which a server says that it could not complete the answer. */
const BROKEN: ReadonlySet<string> = new Set([
  "error",
  "abort",
  "network_error",
  "insufficient_system_resource",
  "malformed_function_call",
]);

/**
 * Returns the stop reason in the words of the Messages API, for the name that a server gives it, in any case.
 * An unknown name is returned unchanged.
 *
 * @throws PawlError `model_error`, retryable, if the name says that the server could not complete the answer
 *
 * @example
 * ```ts
 * import { stopReasonNamed } from "@pawl/core/model";
 *
 * console.log(stopReasonNamed("eos"), stopReasonNamed("MAX_TOKENS")); // end_turn max_tokens
 * ```
 */
export function stopReasonNamed(name: string): string {
  const known = name.toLowerCase();
  if (BROKEN.has(known))
    throw new PawlError(
      "model_error",
      `The server could not complete the answer (it stopped with "${name}").`,
      {
        details: { type: "server_error", retryable: true },
      },
    );
  return STOPS.get(known) ?? name;
}
