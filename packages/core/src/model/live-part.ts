/** A block of the answer that is being written. */
export interface LivePart {
  index: number;
  kind: "text" | "thinking" | "tool_input";
  /**
   * All of its text so far, in the pieces in which it came: to show a reader the newest costs nothing but the
   * newest.
   */
  pieces: string[];
  /** The call whose input this is. */
  tool?: { call_id: string; tool_name: string };
}
