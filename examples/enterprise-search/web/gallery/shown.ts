import type { Json, StoredEvent } from "@pawl/core";

/** What a gallery shows: a conversation's events, and what the server answers. */
export interface Shown {
  events: StoredEvent[];
  /** Whether the page has the messages before it has the events. */
  withheld?: boolean;
  /** Live text that the model is writing; `""` for none. */
  writing: string;
  /** The server's answers, by their paths below the agent's. A missing one answers 404. */
  answers: { [path: string]: Json };
}
