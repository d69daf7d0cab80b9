import { useEffect, useState } from "react";

/**
 * `active`, but once shown, for at least `ms`: what flashes by is not seen, it only unsettles. With
 * `fromStart` it is shown even if the activity was over before the first rendering. It follows what it is
 * told, so it cannot get stuck.
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
