import { useEffect, useState } from "react";

/**
 * Returns `active`, but stays `true` for `ms` milliseconds after `active` turned off, so that spinners do not
 * flicker. With `fromStart` it starts as `true` even if the activity was over before the first rendering.
 *
 * @example
 * ```ts
 * import { useAgent, useHeld } from "@pawl/client/react";
 *
 * function useWorking() {
 *   const { runningTools } = useAgent({ url: "/api/coach" });
 *   return useHeld(Object.keys(runningTools).length > 0, 200);
 * }
 * ```
 */
export function useHeld(active: boolean, ms: number, fromStart = false): boolean {
  const [held, setHeld] = useState(active || fromStart);
  useEffect(() => {
    if (active) {
      setHeld(true);
      return;
    }
    if (!held) return;
    const timer = setTimeout(() => setHeld(false), ms);
    return () => clearTimeout(timer);
  }, [active, held, ms]);
  return active || held;
}
