import type { Attributes } from "@opentelemetry/api";
import { type EventData, type StoredOf, usdFromCents } from "@pawl/core";
import type { Session } from "./session-spans.ts";

// The names are those of version 0.1.0 of OpenTelemetry's semantic conventions for generative AI
// (github.com/open-telemetry/semantic-conventions-genai). They were a part of the general conventions before,
// up to version 1.41. What that version requires is set too, for backends that read it.

/** The attribute with the version of the agent that works on a run. */
export const AGENT_VERSION = "gen_ai.agent.version";

/** Returns the attributes of a run's span. */
export function agentAttributes(
  sessionId: string,
  { run, version }: Pick<Session, "run" | "version">,
  provider: string,
): Attributes {
  return {
    "gen_ai.operation.name": "invoke_agent",
    // Version 1.41 requires it. Version 0.1.0 has it only for agents that run elsewhere.
    "gen_ai.provider.name": provider,
    "gen_ai.conversation.id": sessionId,
    ...(run && {
      "gen_ai.agent.name": run.data.agent,
      "pawl.run.id": run.data.run_id,
    }),
    ...(version !== undefined && { [AGENT_VERSION]: version }),
  };
}

/** Returns the attributes of a model request. */
export function requestAttributes(
  { sessionId, data }: StoredOf<"llm_request">,
  provider: string,
): Attributes {
  return {
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": provider,
    "gen_ai.conversation.id": sessionId,
    "gen_ai.request.model": data.model,
    "gen_ai.request.max_tokens": data.params.max_tokens,
    "gen_ai.request.stream": true,
    ...(data.params.output_format && { "gen_ai.output.type": "json" }),
    "pawl.turn": data.turn,
    ...(data.role !== undefined && { "pawl.role": data.role }),
  };
}

/**
 * Returns the attributes of a model's answer. `input_tokens` counts the whole prompt, including tokens read
 * from and written to the cache.
 */
export function responseAttributes({ data }: StoredOf<"llm_response">): Attributes {
  const { raw_response: raw } = data;
  return {
    ...(raw.id !== null && { "gen_ai.response.id": raw.id }),
    ...(raw.model !== null && { "gen_ai.response.model": raw.model }),
    // `error` stands for an answer that has begun and has no end, whatever cut it off.
    "gen_ai.response.finish_reasons": [raw.stop_reason ?? "error"],
    ...usageAttributes(data),
  };
}

function usageAttributes({
  tokens,
  cost_cents,
}: EventData["spending"] | EventData["llm_response"]): Attributes {
  return {
    "gen_ai.usage.input_tokens": tokens.prompt + tokens.cached + tokens.cache_write,
    "gen_ai.usage.output_tokens": tokens.completion,
    "gen_ai.usage.cache_read.input_tokens": tokens.cached,
    "gen_ai.usage.cache_write.input_tokens": tokens.cache_write,
    "gen_ai.usage.cache_creation.input_tokens": tokens.cache_write,
    "pawl.cost_usd": usdFromCents(cost_cents),
  };
}

/** Returns the attributes of a model that a hook or a tool has asked with `context.askModel()`. */
export function askAttributes({ sessionId, data }: StoredOf<"spending">, provider: string): Attributes {
  return {
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": provider,
    "gen_ai.conversation.id": sessionId,
    "gen_ai.request.model": data.model,
    ...usageAttributes(data),
    "pawl.by": data.by,
  };
}

/** Returns the attributes of a tool call's span. */
export function toolAttributes(
  { sessionId, data }: StoredOf<"tool_started">,
  agent: string | undefined,
): Attributes {
  return {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.conversation.id": sessionId,
    "gen_ai.tool.name": data.tool_name,
    "gen_ai.tool.call.id": data.call_id,
    "gen_ai.tool.type": "function",
    ...(agent !== undefined && { "gen_ai.agent.name": agent }),
    ...(data.agent !== undefined && { "pawl.tool.agent": data.agent }),
  };
}

/**
 * Returns the attributes of what a tool has reported about its call, and of its cost. The conventions have no
 * names for these. The summary is included only with `content`, because it may repeat what the tool returned.
 */
export function reportAttributes({ data }: StoredOf<"tool_result">, content: boolean): Attributes {
  const { connector, fragments, summary } = data.report ?? {};
  return {
    ...(data.spent !== undefined && { "pawl.cost_usd": usdFromCents(data.spent.cost_cents) }),
    ...(connector !== undefined && { "pawl.tool.connector": connector }),
    ...(fragments !== undefined && { "pawl.tool.fragments": fragments }),
    ...(content && summary !== undefined && { "pawl.tool.summary": summary }),
  };
}
