/** A limited number of places for work. */
export interface Slots {
  /** Takes a place if one is free. Returns a function that frees it. */
  tryTake(): (() => void) | undefined;
  /** Takes a place, and waits for one in the order of the calls. */
  take(): Promise<() => void>;
  /** The number of places. */
  readonly most: number;
  /** The number of places that are taken. */
  readonly taken: number;
}

/** Makes `most` places; `Infinity` for no limit. */
export function newSlots(most: number): Slots {
  const waiting: ((free: () => void) => void)[] = [];
  let taken = 0;
  const placed = (): (() => void) => {
    let isFree = false;
    return () => {
      if (isFree) return;
      isFree = true;
      const next = waiting.shift();
      if (next === undefined) taken -= 1;
      else next(placed());
    };
  };
  const tryTake = () => {
    if (taken >= most) return undefined;
    taken += 1;
    return placed();
  };
  return {
    tryTake,
    take: async () => tryTake() ?? (await new Promise<() => void>((resolve) => void waiting.push(resolve))),
    most,
    get taken() {
      return taken;
    },
  };
}
