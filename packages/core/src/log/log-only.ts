const logOnly = new WeakSet<object>();

/**
 * Marks a hook or a stop condition of Pawl's own that looks only at the log and tells nobody else of it. So
 * it may be called before the newest events are stored. A hook's `beforeTurn` does nothing before a run's
 * first turn.
 */
export function byLogOnly<T extends object>(own: T): T {
  logOnly.add(own);
  return own;
}

/** Returns whether the hook or stop condition is marked by `byLogOnly()`. */
export function isByLogOnly(own: object): boolean {
  return logOnly.has(own);
}
