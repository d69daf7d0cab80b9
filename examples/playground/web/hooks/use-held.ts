import { useEffect, useState } from "react";

/**
 * `active`, but once shown, for at least `ms`: what flashes by is not seen, it only unsettles. With `fromStart` it is
 * shown even if the activity was over before the first rendering.
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
