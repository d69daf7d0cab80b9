import type { Clock } from "../../base/clock.ts";
import type { Slots } from "../../base/slots.ts";
import type { Engine } from "../../engine/engine.ts";

/** Makes the engine in the memory of this process. Its code is loaded when it is first used. */
export function lazyEngine(clock: Clock, slots: Slots): Engine {
  // Not the promise of the import, so that a failed import is tried again.
  let made: Engine | undefined;
  const load = async () => {
    const { engineInMemory } = await import("./index.ts");
    made ??= engineInMemory(clock, slots);
    return made;
  };
  return {
    wake: async (...given) => await (await load()).wake(...given),
    cancel: async (...given) => await (await load()).cancel(...given),
    work: async (...given) => await (await load()).work(...given),
  };
}
