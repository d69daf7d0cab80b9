/** Thrown if another process has stored something first, so that what was decided is void. */
export const DECIDE_AGAIN: unique symbol = Symbol("again");
