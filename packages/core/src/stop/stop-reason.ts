/** Why a run stopped. The list is open: stop conditions of your own may add types. */
export type StopType =
  | "end_turn"
  | "suspended"
  | "terminal_tool"
  | "turn_limit"
  | "max_tokens"
  | "refusal"
  | "context_window"
  | "aborted"
  | "interrupted"
  | "crash_loop"
  | "error"
  | (string & {});

/** A typed end, with a sentence that may be shown to the user. Nothing ends without one. */
export interface StopReason {
  type: StopType;
  message: string;
}
