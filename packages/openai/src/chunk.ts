/** What is read of a `chat.completion.chunk`: servers leave out what they like, and send `null` for it. */
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
  /** The model's thinking, under either name that servers use. */
  reasoning_content?: string | null;
  reasoning?: string | null;
  tool_calls?: readonly CallDelta[] | null;
}

/** A piece of a call. The first has the name; which call it is of says the index, or, without one, the id. */
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
