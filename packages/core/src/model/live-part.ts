/** A block of an answer that is being written. */
export interface LivePart {
  /** The block's index in the answer. */
  index: number;
  /** What the block contains. */
  kind: "text" | "thinking" | "tool_input";
  /**
   * The block's text so far, in the pieces in which it arrived. Readers take new pieces without copying old
   * ones.
   */
  pieces: string[];
  /**
   * Set if the block is the run's output, as JSON text. `wrapped`: the output is in the field `value` of that
   * JSON.
   */
  output?: { wrapped: boolean };
  /** The tool call whose input this block is; only for `tool_input`. */
  tool?: { call_id: string; tool_name: string };
}
