/** Thrown if another process has stored something first, so that what was decided is void. */
export const DECIDE_AGAIN: unique symbol = Symbol("again");

/** Passes an error on, but for {@link DECIDE_AGAIN}: for callers that have decided nothing. */
export function unlessAgain(cause: unknown): void {
  if (cause !== DECIDE_AGAIN) throw cause;
}
