const logOnly = new WeakSet<object>();

/**
 * Marks a hook or a stop condition of Pawl as one that reads only the log and has no effects outside. So it
 * may be called before the newest events are stored. The `beforeTurn` of a marked hook must do nothing before
 * a run's first turn.
 *
 * @returns the same object
 */
export function markLogOnly<T extends object>(hookOrCondition: T): T {
  logOnly.add(hookOrCondition);
  return hookOrCondition;
}

/** Returns whether the hook or stop condition is marked by `markLogOnly()`. */
export function isLogOnly(hookOrCondition: object): boolean {
  return logOnly.has(hookOrCondition);
}
