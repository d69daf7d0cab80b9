import { useEffect, useState } from "react";

/**
 * Keeps a flag `true` for `ms` milliseconds after `active` becomes `false`, so that a spinner does not
 * flicker. With `fromStart`, the flag is `true` for the first `ms` even if `active` is `false`.
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
