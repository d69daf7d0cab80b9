/** What a conversation gets from its client. */
export interface FromClient<Event> {
  /** Returns a new, unique id for a message. */
  newId(): string;
  /** Milliseconds without data after which the connection counts as broken. `undefined`: three heartbeats. */
  silenceMs: number | undefined;
  onEvent(event: Event): void;
  /**
   * Called when the facts have changed. `now`: the change must show at once. `soon`: the next frame is early
   * enough.
   */
  onChange(when: "now" | "soon"): void;
}
