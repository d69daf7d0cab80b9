import type { Hook } from "./hook.ts";

const laterTurns = new WeakSet<Hook>();

/**
 * Marks a hook of Pawl's own whose `beforeTurn` does nothing before a run's first turn. So the first request
 * need not wait until the start of the run is stored.
 */
export function forLaterTurns<H extends Hook>(hook: H): H {
  laterTurns.add(hook);
  return hook;
}

/** Returns whether the hook's `beforeTurn` does nothing before a run's first turn. */
export function isForLaterTurns(hook: Hook): boolean {
  return laterTurns.has(hook);
}
