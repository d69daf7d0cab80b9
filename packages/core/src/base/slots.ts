/** A limited number of places for work. */
export interface Slots {
  /** Takes a place if one is free. Returns a function that frees it. */
  tryTake(): (() => void) | undefined;
  /** Calls `listener` whenever a place has become free. */
  onFree(listener: () => void): void;
  /** The number of places. */
  readonly most: number;
}

/** Makes `most` places; `Infinity` for no limit. */
export function newSlots(most: number): Slots {
  const listeners: (() => void)[] = [];
  let taken = 0;
  return {
    most,
    tryTake: () => {
      if (taken >= most) return undefined;
      taken += 1;
      let isFree = false;
      return () => {
        if (isFree) return;
        isFree = true;
        taken -= 1;
        for (const listener of listeners) listener();
      };
    },
    onFree: (listener) => void listeners.push(listener),
  };
}
