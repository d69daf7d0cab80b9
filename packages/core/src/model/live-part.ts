/** A block of the answer in progress. */
export interface LivePart {
  index: number;
  kind: "text" | "thinking" | "tool_input";
  /**
   * Its text so far, in the pieces in which it arrived, so that showing the newest piece copies nothing else.
   */
  pieces: string[];
  /** The call whose input this is; only for `tool_input`. */
  tool?: { call_id: string; tool_name: string };
}
