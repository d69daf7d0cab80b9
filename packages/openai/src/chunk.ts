/**
 * The fields of a `chat.completion.chunk` that Pawl reads. Servers may leave out any of them, or send `null`.
 */
export interface Chunk {
  id?: string | null;
  model?: string | null;
  choices?: readonly Choice[] | null;
  usage?: ChunkUsage | null;
}

interface Choice {
  index?: number | null;
  delta?: Delta | null;
  finish_reason?: string | null;
}

export interface Delta {
  content?: string | null;
  refusal?: string | null;
  /** The model's reasoning. Servers use one of these two names. */
  reasoning_content?: string | null;
  reasoning?: string | null;
  tool_calls?: readonly CallDelta[] | null;
}

/**
 * A piece of a tool call, identified by its index, or else by its id. The first piece has the tool's name.
 */
export interface CallDelta {
  index?: number | null;
  id?: string | null;
  function?: { name?: string | null; arguments?: string | null } | null;
}

interface ChunkUsage {
  prompt_tokens?: number | null;
  completion_tokens?: number | null;
  prompt_tokens_details?: { cached_tokens?: number | null; cache_write_tokens?: number | null } | null;
}
