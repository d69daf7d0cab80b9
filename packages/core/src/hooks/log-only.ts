import type { Hook } from "./hook.ts";

const logOnly = new WeakSet<Hook>();

/**
 * Marks a hook of Pawl's own that looks only at the log and tells nobody else of it. So its methods may be
 * called before the newest events are stored. Its `beforeTurn` does nothing before a run's first turn.
 */
export function byLogOnly<H extends Hook>(hook: H): H {
  logOnly.add(hook);
  return hook;
}

/** Returns whether the hook is marked by `byLogOnly()`. */
export function isByLogOnly(hook: Hook): boolean {
  return logOnly.has(hook);
}
