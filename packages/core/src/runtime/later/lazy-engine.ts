import type { Clock } from "../../base/clock.ts";
import type { Slots } from "../../base/slots.ts";
import type { Engine } from "../../engine/engine.ts";

/**
 * Makes an engine that keeps its wakes in the memory of this process. Its code is loaded on the first use.
 */
export function lazyEngine(clock: Clock, slots: Slots): Engine {
  // Keeps the engine and not the promise of its import, so that the next call retries a failed import.
  let made: Engine | undefined;
  const load = async () => {
    const { engineInMemory } = await import("./index.ts");
    made ??= engineInMemory(clock, slots);
    return made;
  };
  return {
    wake: async (...args) => await (await load()).wake(...args),
    cancel: async (...args) => await (await load()).cancel(...args),
    work: async (...args) => await (await load()).work(...args),
  };
}
