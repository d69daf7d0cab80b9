import type { ViewPart } from "@pawl/core/view";

/** What a gallery shows: the parts of a conversation, and the user's budget. */
export interface Shown {
  parts: ViewPart[];
  /** Whether the conversation's run is open. */
  live: boolean;
  /** `null`: it cannot be read. */
  budget: { used: number; reserved: number; limit: number; preview?: boolean } | null;
}
